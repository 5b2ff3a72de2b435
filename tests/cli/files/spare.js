a = frobnicate({q: 1});
b = look({q: a.id});
return find({q: 2});
