// What a reader or a tool for accessibility would complain of in a page, as a list of sentences.
(() => {
  const found = [];
  const seen = (each) => each.checkVisibility() && each.getClientRects().length > 0;
  const called = (each) => `${each.tagName.toLowerCase()}${each.id && `#${each.id}`}.${each.className?.baseVal ?? each.className}`;
  const all = [...document.body.querySelectorAll("*")].filter(seen);

  // -- nothing is cut, and nothing sticks out
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > wide) found.push("the page scrolls sideways");
  const inScroll = (each) => each.closest(".scroll svg, .skip");
  for (const each of all.filter((each) => !inScroll(each))) {
    const box = each.getBoundingClientRect();
    if (box.right > wide + 1 || box.left < -1) found.push(`${called(each)} sticks out`);
    const look = getComputedStyle(each);
    if (look.overflowX !== "visible" && !each.matches(".scroll, select, input") && each.scrollWidth > each.clientWidth + 1) found.push(`${called(each)} is cut`);
  }

  // -- words stay whole: no line begins inside a run of letters
  const range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!seen(node.parentElement) || node.parentElement.closest("pre, svg, select, option, script")) continue;
    for (const word of node.data.matchAll(/[A-Za-z]{2,30}/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((each) => Math.round(each.top))).size > 1) found.push(`${word[0]} is broken`);
    }
  }

  // -- texts can be told from what is behind them
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  function behind(each) {
    const layers = [];
    for (let at = each; at; at = at.parentElement) layers.unshift(getComputedStyle(at).backgroundColor);
    return layers;
  }
  function light(layers) {
    for (const layer of layers) { context.fillStyle = layer; context.fillRect(0, 0, 1, 1); }
    const parts = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  for (const each of all) {
    const has = [...each.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!has || each.disabled || each.closest("svg title, option")) continue;
    const look = getComputedStyle(each);
    const [dark, bright] = [light(behind(each)), light([...behind(each), each.closest("svg") ? look.fill : look.color])].sort((a, b) => a - b);
    if ((bright + 0.05) / (dark + 0.05) < 4.5) found.push(`${called(each)}: too little contrast`);
  }

  // -- names, labels, landmarks, headings
  const name = (each) => each.getAttribute("aria-label") || document.getElementById(each.getAttribute("aria-labelledby") ?? "")?.textContent || each.textContent.trim();
  for (const each of all.filter((each) => each.matches("a, button, summary, nav, [role=region], section, svg[role=img], th"))) {
    if (!name(each)) found.push(`${called(each)} has no name`);
  }
  for (const each of all.filter((each) => each.matches("input, select"))) if (!each.labels.length) found.push(`${called(each)} has no label`);
  const landmarks = all.filter((each) => each.matches("nav, [role=region], section")).map(name);
  if (new Set(landmarks).size < landmarks.length) found.push("two landmarks have one name");
  const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
  if (new Set(ids).size < ids.length) found.push("an id stands twice");
  for (const [what, most] of [["main", 1], ["h1", 1]]) if (document.querySelectorAll(what).length !== most) found.push(`not one ${what}`);
  if (!document.documentElement.lang || !document.title) found.push("no language or no title");
  let level = 0;
  for (const each of all.filter((each) => each.matches("h1, h2, h3, h4"))) {
    if (Number(each.tagName[1]) > level + 1) found.push(`${each.textContent} skips a level of headings`);
    level = Number(each.tagName[1]);
  }
  for (const each of all) {
    if (each.matches("li") && !each.parentElement.matches("ul, ol")) found.push(`${called(each)} is in no list`);
    if (!each.closest("main, .skip") && each.textContent.trim() && each.matches("p, h1, h2, table, nav, a")) found.push(`${called(each)} is in no landmark`);
    if (each.matches("a, button") && !each.matches("p a, li a, td a, th a") && each.getBoundingClientRect().height < 24) found.push(`${called(each)} is small to hit`);
  }
  return [...new Set(found)];
})();
