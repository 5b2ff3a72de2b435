"use strict";
// Nothing of the data becomes markup here: elements are made one by one, texts are text.
(() => {
  const PAGE = 50;
  const TAGS = new Set(
    "b br code details div g h3 h4 li p path pre rect small span strong summary svg table tbody td text th title tr ul".split(" "));
  const ATTRIBUTES = new Set(
    "aria-label class d height role rx scope tabindex text-anchor transform viewBox width x y".split(" "));
  const SVG = "http://www.w3.org/2000/svg";
  const [NUMBER, NAME, VERDICT, MISTAKES, CALLS, CHANGES, WHY, TOOLS, VALUES, META, CHUNK] = Array(11).keys();
  const ORDER = ["valid", "repaired", "invalid", "needs_input", "unrepairable", "unknown", "error"];
  const MARKS = { valid: "\u2713", repaired: "\u270e", invalid: "\u2717", needs_input: "?", unrepairable: "\u2717", unknown: "\u2026", error: "!" };
  const $ = (id) => document.getElementById(id);

  function make(tag, text, look) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (look) made.className = look;
    return made;
  }

  // An element as the page tells it: [name, attributes or 0, ...children]
  function build(told, space) {
    if (typeof told === "string") return document.createTextNode(told);
    const [tag, attributes, ...children] = told;
    if (!TAGS.has(tag)) return document.createTextNode("");
    const own = tag === "svg" ? SVG : space;
    const made = own ? document.createElementNS(own, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
    }
    for (const child of children) made.append(build(child, own));
    return made;
  }

  async function unpacked(id) {
    const bytes = Uint8Array.from(atob($(id).textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }

  // -- tables that can be sorted ----------------------------------------------

  const words = new Intl.Collator("en", { numeric: true });
  function compare(a, b) {
    return typeof a === "number" && typeof b === "number" ? a - b : words.compare(a, b);
  }

  function turn(heads, head) {
    const way = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
    for (const each of heads) if (each.hasAttribute("aria-sort")) each.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", way);
    return way === "ascending" ? 1 : -1;
  }

  function value(cell) {
    const told = cell.dataset.v;
    return told === undefined || isNaN(told) ? (told ?? cell.textContent.trim()) : Number(told);
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = make("button", head.textContent.trim());
      button.type = "button";
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const way = turn(heads, head);
        const body = table.tBodies[0];
        const rows = [...body.rows].map((row) => [value(row.cells[column]), row]);
        rows.sort((a, b) => way * compare(a[0], b[0]));
        body.append(...rows.map(([, row]) => row));
      });
    });
  }

  // -- the list ------------------------------------------------------------------

  let data, all, chosen = [], at = 0, current = -1;
  const places = new Map();
  const chunks = new Map();

  function options(select, names) {
    for (const [name, value] of names) {
      const option = make("option", name);
      option.value = value;
      select.append(option);
    }
  }

  function numbered(names) {
    return names.map((name, number) => [name, String(number)]).sort((a, b) => words.compare(a[0], b[0]));
  }

  function choose() {
    const sought = $("text").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = $("verdict").value, tag = $("tag").value, tool = $("tool").value;
    const fields = [...document.querySelectorAll("#fields select")].map((each) => each.value);
    const sorted = document.querySelector("#all th[aria-sort=ascending], #all th[aria-sort=descending]");
    const way = sorted.getAttribute("aria-sort") === "ascending" ? 1 : -1;
    chosen = all.filter((each) =>
      (!verdict || each.row[VERDICT] === verdict || (verdict === "trouble" && ORDER.indexOf(each.row[VERDICT]) > 1))
      && (!tag || each.row[MISTAKES].includes(Number(tag)))
      && (!tool || each.row[TOOLS].includes(Number(tool)))
      && fields.every((value, field) => !value || each.row[VALUES][field] === Number(value))
      && sought.every((word) => each.text.includes(word)));
    const key = KEYS[sorted.cellIndex];
    const keyed = chosen.map((each) => [key(each.row), each]);
    keyed.sort((a, b) => way * compare(a[0], b[0]) || a[1].row[NUMBER] - b[1].row[NUMBER]);
    chosen = keyed.map(([, each]) => each);
    at = 0;
    show();
  }

  const KEYS = [
    (row) => row[NUMBER],
    (row) => row[NAME],
    (row) => ORDER.indexOf(row[VERDICT]),
    (row) => row[MISTAKES].length,
    (row) => row[CALLS],
    (row) => row[CHANGES],
  ];

  function line({ row }) {
    const made = make("tr");
    const name = make("button", row[NAME]);
    name.type = "button";
    name.addEventListener("click", () => open(row[NUMBER]));
    const head = make("th");
    head.scope = "row";
    head.append(name);
    const verdict = make("td");
    verdict.append(badge(row[VERDICT]));
    const tags = row[MISTAKES].map((tag) => data.tags[tag]).join(", ");
    made.append(
      make("td", String(row[NUMBER] + 1)), head, verdict, make("td", tags, "tags"),
      make("td", String(row[CALLS]), "wide n"), make("td", String(row[CHANGES]), "wide n"),
      make("td", row[WHY], "wide why"));
    return made;
  }

  function badge(verdict) {
    return make("span", `${MARKS[verdict]} ${verdict}`, `badge ${verdict}`);
  }

  function show() {
    const pages = Math.max(1, Math.ceil(chosen.length / PAGE));
    const body = $("all").tBodies[0];
    body.replaceChildren(...chosen.slice(at * PAGE, (at + 1) * PAGE).map(line));
    $("count").textContent = `${chosen.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} sequences`;
    $("at").textContent = `page ${at + 1} of ${pages}`;
    $("before").disabled = at === 0;
    $("after").disabled = at >= pages - 1;
  }

  // -- one sequence --------------------------------------------------------------

  async function told(place) {
    const row = all[place].row;
    if (row[CHUNK] < 0) {
      return [...$(`s${row[NUMBER]}`).children].slice(1).map((each) => each.cloneNode(true));
    }
    if (!chunks.has(row[CHUNK])) chunks.set(row[CHUNK], unpacked(`chunk${row[CHUNK]}`));
    const chunk = await chunks.get(row[CHUNK]);
    return [build(chunk[row[NUMBER]])];
  }

  async function open(number) {
    const place = places.get(number);
    if (place === undefined) return;
    const wanted = current = place;
    const parts = await told(place);
    if (wanted !== current) return;
    $("one-title").textContent = all[place].row[NAME];
    $("one-body").replaceChildren(...parts);
    const index = chosen.indexOf(all[place]);
    $("previous").disabled = index <= 0;
    $("next").disabled = index < 0 || index >= chosen.length - 1;
    history.replaceState(null, "", `#s${number}`);
    if (!$("one").open) $("one").showModal();
    $("one").scrollTop = 0;
    $("one-title").focus();
  }

  function step(by) {
    const next = chosen[chosen.indexOf(all[current]) + by];
    if (next) open(next.row[NUMBER]);
  }

  function follow() {
    const found = /^#s(\d+)$/.exec(location.hash);
    if (found) open(Number(found[1]));
  }

  async function start() {
    if (typeof DecompressionStream === "undefined") {
      document.documentElement.classList.add("old");
      document.querySelector(".needs-new").hidden = false;
      return;
    }
    data = await unpacked("listed");
    all = data.rows.map((row) => ({
      row,
      text: [
        row[NAME], row[VERDICT], row[WHY], row[META], ...row[MISTAKES].map((tag) => data.tags[tag]),
        ...row[TOOLS].map((tool) => data.tools[tool]),
        ...row[VALUES].map((value, field) => (value < 0 ? "" : data.fields[field].values[value])),
      ].join("\n").toLowerCase(),
    }));
    all.forEach((each, place) => places.set(each.row[NUMBER], place));
    const verdicts = new Set(all.map((each) => each.row[VERDICT]));
    options($("verdict"), [["in trouble", "trouble"], ...ORDER.filter((each) => verdicts.has(each)).map((each) => [each, each])]);
    options($("tag"), numbered(data.tags));
    options($("tool"), numbered(data.tools));
    for (const field of data.fields) {
      const label = make("label", `${field.name} `);
      const select = make("select");
      options(select, [["all", ""], ...numbered(field.values)]);
      label.append(select);
      $("fields").append(label);
    }
    const heads = [...$("all").tHead.rows[0].cells];
    for (const head of heads) {
      head.querySelector("button")?.addEventListener("click", () => { turn(heads, head); choose(); });
    }
    $("filters").addEventListener("input", choose);
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    $("filters").addEventListener("reset", () => setTimeout(choose));
    $("before").addEventListener("click", () => { at -= 1; show(); });
    $("after").addEventListener("click", () => { at += 1; show(); });
    $("close").addEventListener("click", () => $("one").close());
    $("previous").addEventListener("click", () => step(-1));
    $("next").addEventListener("click", () => step(1));
    $("one").addEventListener("close", () => {
      current = -1;
      history.replaceState(null, "", location.pathname + location.search);
    });
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.('a[href^="#s"]');
      const found = link && /^#s(\d+)$/.exec(link.getAttribute("href"));
      if (found && places.has(Number(found[1]))) {
        event.preventDefault();
        open(Number(found[1]));
      }
    });
    addEventListener("hashchange", follow);
    $("list").hidden = false;
    choose();
    document.documentElement.dataset.ready = "yes";
    follow();
  }

  start();
})();
