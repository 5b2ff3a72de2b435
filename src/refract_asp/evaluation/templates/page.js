"use strict";
// Nothing of the data becomes markup here: elements are made one by one, texts are text.
(() => {
  const PAGE = 50;
  const SHORT = 12;
  // What is in trouble comes first.
  const ORDER = ["error", "unrepairable", "unknown", "invalid", "needs_input", "repaired", "valid"];
  const MARKS = { valid: "\u2713", repaired: "\u270e", invalid: "\u2717", needs_input: "?", unrepairable: "\u2717", unknown: "\u2026", error: "!" };
  const $ = (id) => document.getElementById(id);

  function make(tag, text, look) {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (look) made.className = look;
    return made;
  }

  // Long names may be broken where one of their words ends.
  const BREAK = /(?<=[^\w\s$])(?=[A-Za-z])|(?<=_)(?=[A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z])/;
  function broken(made) {
    const parts = made.textContent.split(BREAK);
    made.replaceChildren(...parts.flatMap((part, number) => (number ? [make("wbr"), part] : [part])));
    return made;
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
    const given = cell.dataset.v;
    return given === undefined || isNaN(given) ? (given ?? cell.textContent.trim()) : Number(given);
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
    const count = table.tBodies[0].rows.length;
    if (count > SHORT + 3) {
      table.classList.add("short");
      const more = make("button", `Show all ${count.toLocaleString("en")}`);
      more.type = "button";
      more.addEventListener("click", () => { table.classList.remove("short"); more.remove(); });
      table.parentElement.after(more);
    }
  }

  // -- the list ------------------------------------------------------------------

  const all = JSON.parse($("listed").textContent);
  for (const row of all) {
    row.text = [row.name, row.verdict, row.why, ...row.mistakes, ...row.tools, ...Object.values(row.fields)]
      .join("\n").toLowerCase();
  }
  const fields = [...new Set(all.flatMap((row) => Object.keys(row.fields)))];
  const heads = [...$("all").tHead.rows[0].cells];
  const KEYS = [
    (row) => row.number, (row) => row.name, (row) => ORDER.indexOf(row.verdict),
    (row) => row.mistakes.length, (row) => row.calls, (row) => row.changes, (row) => row.why,
  ];
  let way = 1, key = KEYS[2], chosen = all, at = 0;

  function options(select, values) {
    for (const each of [...new Set(values)].sort(words.compare)) select.append(new Option(each, each));
  }

  function choose() {
    const sought = $("text").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = $("verdict").value, tag = $("tag").value, tool = $("tool").value;
    const wanted = [...document.querySelectorAll("#fields select")].map((each) => each.value);
    chosen = all.filter((row) =>
      (!verdict || row.verdict === verdict || (verdict === "in trouble" && ORDER.indexOf(row.verdict) < 5))
      && (!tag || row.mistakes.includes(tag))
      && (!tool || row.tools.includes(tool))
      && wanted.every((value, number) => !value || row.fields[fields[number]] === value)
      && sought.every((word) => row.text.includes(word)));
    chosen.sort((a, b) => way * compare(key(a), key(b)) || a.number - b.number);
    at = 0;
    show();
  }

  function line(row) {
    const made = make("tr");
    const head = make("th");
    head.scope = "row";
    const name = make($(`s${row.number}`) ? "a" : "span", row.name);
    if (name.tagName === "A") name.href = `#s${row.number}`;
    head.append(broken(name));
    const verdict = make("td");
    verdict.append(make("span", `${MARKS[row.verdict]} ${row.verdict.replace("_", " ")}`, `badge ${row.verdict}`));
    made.append(
      make("td", String(row.number + 1), "n"), head, verdict, broken(make("td", row.mistakes.join(", "), "tags")),
      make("td", String(row.calls), "n"), make("td", String(row.changes), "n"), broken(make("td", row.why, "why")));
    heads.forEach((each, column) => { made.cells[column].dataset.head = each.textContent; });
    return made;
  }

  function show() {
    const pages = Math.max(1, Math.ceil(chosen.length / PAGE));
    $("all").tBodies[0].replaceChildren(...chosen.slice(at * PAGE, (at + 1) * PAGE).map(line));
    $("count").textContent = `${chosen.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} sequences`;
    $("all").parentElement.hidden = $("pages").hidden = !chosen.length;
    $("none").hidden = chosen.length > 0;
    $("at").textContent = `page ${at + 1} of ${pages}`;
    $("before").disabled = at === 0;
    $("after").disabled = at >= pages - 1;
  }

  // A link to a sequence opens it.
  function follow() {
    const found = /^#s\d+$/.test(location.hash) && $(location.hash.slice(1));
    if (!found) return;
    found.open = true;
    found.scrollIntoView();
    found.querySelector("summary").focus();
  }

  const verdicts = new Set(all.map((row) => row.verdict));
  for (const each of ["in trouble", ...ORDER.filter((each) => verdicts.has(each))]) $("verdict").append(new Option(each.replace("_", " "), each));
  options($("tag"), all.flatMap((row) => row.mistakes));
  options($("tool"), all.flatMap((row) => row.tools));
  fields.forEach((name) => {
    const label = make("label", `${name} `);
    const select = make("select");
    select.append(new Option("all", ""));
    options(select, all.map((row) => row.fields[name]).filter((each) => each !== undefined));
    label.append(select);
    $("fields").append(label);
  });
  heads.forEach((head, column) => {
    head.querySelector("button")?.addEventListener("click", () => { way = turn(heads, head); key = KEYS[column]; choose(); });
  });
  $("filters").addEventListener("input", choose);
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  $("filters").addEventListener("reset", () => setTimeout(choose));
  $("none").querySelector("button").addEventListener("click", () => $("filters").reset());
  $("before").addEventListener("click", () => { at -= 1; show(); });
  $("after").addEventListener("click", () => { at += 1; show(); });
  document.addEventListener("click", (event) => {
    if (event.target.closest?.(`a[href="${location.hash}"]`)) follow();
  });
  addEventListener("hashchange", follow);
  $("list").hidden = false;
  choose();
  document.documentElement.dataset.ready = "yes";
  follow();
})();
