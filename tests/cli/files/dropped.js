mail = sendEmail({to: 'ada'});
return find({q: 2});
