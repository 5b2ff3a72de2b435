a = x => x;
b = “é”; c = a + 1;
a = {__proto__: 1};
