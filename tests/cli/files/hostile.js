// [31m
return f({a‮: ']0;x'} + 1);
