const [form, bad, pretty, none] = ["filters", "bad", "pretty", "none"].map($);
const selects = ["verdict", "service", "evidence", "level"].map($);
const chips = [...document.querySelectorAll("[data-chip]")];
const groups = new Map([...document.querySelectorAll("[data-group]")].map((element) => [element.dataset.group, { element, rows: [] }]));
const rows = data.rows.map((row) => ({ ...row, group: row.id.slice(0, row.id.lastIndexOf(".")), matches: true, text: `${row.label} ${row.id} ${row.statement} ${row.words}`.toLowerCase() }));
for (const row of rows) groups.get(row.group).rows.push(row);
const byId = new Map(rows.map((row) => [row.id, row]));
// While filters are set, so many rows are shown at once; other groups open by hand.
const MOST = 300;

// What is in backticks is code.
const marked = (element, text) => {
  element.append(...text.split("`").map((part, n) => (n % 2 ? made("code", "", part) : part)));
  return element;
};

// A row is rendered when its group is opened, and its content when the row is opened.
const render = (row) => {
  if (row.element) return row.element;
  row.element = made("details", "row", "");
  row.element.id = row.id;
  if (row.bad) row.element.dataset.bad = "";
  const summary = made("summary", "", "");
  summary.append(made("span", `v ${row.verdicts[0]}`, row.label), made("code", "", row.id), marked(made("span", "statement", ""), row.statement));
  row.element.append(summary);
  row.element.addEventListener("toggle", () => row.element.open && furnish(row));
  return row.element;
};
const fill = ({ element, rows }) => element.querySelector(".rows").replaceChildren(...(element.open ? rows.filter((row) => row.matches).map(render) : []));
for (const group of groups.values()) group.element.addEventListener("toggle", () => fill(group));

let wasFiltered = false;
const filter = () => {
  const words = searched();
  const [verdict, service, evidence, level] = selects.map((each) => each.value);
  const isFiltered = Boolean(words.length || verdict || service || evidence || level || bad.checked);
  let shown = 0;
  for (const row of rows) {
    row.matches =
      (!verdict || row.verdicts.includes(verdict)) &&
      (!service || row.service === service) &&
      (!evidence || row.evidence === evidence) &&
      (!level || row.level === level) &&
      (!bad.checked || row.bad) &&
      words.every((word) => row.text.includes(word));
    shown += row.matches;
  }
  let rendered = 0;
  for (const group of groups.values()) {
    const found = group.rows.filter((row) => row.matches).length;
    rendered += found;
    group.element.hidden = !found;
    if (isFiltered) group.element.open = found > 0 && rendered <= MOST;
    else if (wasFiltered) group.element.open = false;
    fill(group);
  }
  for (const section of document.querySelectorAll(".service")) section.hidden = !section.querySelector("[data-group]:not([hidden])");
  wasFiltered = isFiltered;
  count.textContent = `${shown} of ${rows.length} requirements`;
  none.hidden = shown > 0;
  for (const chip of chips) chip.setAttribute("aria-pressed", String(chip.dataset.chip === verdict));
};
// Filters are in the address: `#?search=upload&verdict=fail`.
const controls = { search, verdict: selects[0], service: selects[1], evidence: selects[2], level: selects[3] };
const keep = () => {
  const words = new URLSearchParams();
  for (const [name, { value }] of Object.entries(controls)) if (value) words.set(name, value);
  if (bad.checked) words.set("failures", "only");
  history.replaceState(null, "", words.size ? `#?${words}` : "#requirements");
};
const restore = (text) => {
  const words = new URLSearchParams(text);
  for (const [name, control] of Object.entries(controls)) control.value = words.get(name) ?? "";
  bad.checked = words.has("failures");
  filter();
};

// Long lists and pictures are rendered when they are opened.
for (const element of document.querySelectorAll("[data-late]")) {
  element.addEventListener("toggle", () => {
    const place = element.lastElementChild;
    if (element.open && !place.hasChildNodes()) place.innerHTML = data.late[element.dataset.late];
  });
}

// Formats JSON by its characters: numbers, duplicate members and cut ends are unchanged.
const layOut = (text) => {
  let out = "", depth = 0, inside = false;
  const next = () => `\n${"  ".repeat(depth)}`;
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    if (inside) {
      out += c;
      if (c === "\\") out += text[++at] ?? "";
      else if (c === '"') inside = false;
    } else if (c === '"') {
      out += c;
      inside = true;
    } else if (c === "{" || c === "[") {
      const rest = text.slice(at + 1).match(/^\s*([}\]])/);
      if (rest) {
        out += c + rest[1];
        at += rest[0].length;
      } else {
        depth++;
        out += c + next();
      }
    } else if (c === "}" || c === "]") {
      depth = Math.max(0, depth - 1);
      out += next() + c;
    } else if (c === ",") out += c + next();
    else if (c === ":") out += ": ";
    else if (!/\s/.test(c)) out += c;
  }
  return out;
};

const copy = async (text, button) => {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // A page from disk may have no access to the clipboard; then the text is selected for copying by keyboard.
    getSelection().selectAllChildren(button.parentElement.querySelector("pre"));
    button.textContent = "Selected";
  }
  setTimeout(() => (button.textContent = "Copy"), 1500);
};

const button = (text, act) => {
  const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, className: "small" });
  made.addEventListener("click", () => act(made));
  return made;
};

const draw = (body) => {
  const pre = body.pre;
  pre.textContent = body.isPretty ? (body.laidOut ??= layOut(body.sent)) : body.sent;
  body.toggle.textContent = body.isPretty ? "As received" : "Format";
};
const bodies = [];
const copied = (root) => {
  for (const pre of root.querySelectorAll(".curl")) pre.before(button("Copy", (made) => copy(pre.textContent, made)));
};
const furnish = ({ element, inside }) => {
  if (element.querySelector(".inside")) return;
  const place = made("div", "inside", "");
  // The program that wrote the page has escaped what came from the target.
  place.innerHTML = inside;
  const link = made("a", "", "link");
  link.href = `#${element.id}`;
  place.querySelector(".about")?.append(" \u00b7 ", link);
  element.append(place);
  copied(place);
  for (const pre of place.querySelectorAll("pre[data-json]")) {
    const body = { pre, sent: pre.textContent, isPretty: pretty.checked };
    body.toggle = button("", () => {
      body.isPretty = !body.isPretty;
      draw(body);
    });
    pre.before(body.toggle);
    bodies.push(body);
    draw(body);
  }
};

const clear = () => {
  form.reset();
  drawAll();
  filter();
  keep();
};
// `#ID` opens a row, `#ID/2` its second exchange.
const follow = () => {
  let name = "";
  try {
    name = decodeURIComponent(location.hash.slice(1));
  } catch {
    return;
  }
  if (location.hash.startsWith("#?")) {
    restore(location.hash.slice(2));
    return $("requirements").scrollIntoView({ block: "start" });
  }
  const row = byId.get(name.split("/")[0]);
  if (!row) return;
  // Of a page that is loaded again, the browser would restore where it was before, maybe after this.
  history.scrollRestoration = "manual";
  if (!row.matches) {
    form.reset();
    filter();
  }
  const group = groups.get(row.group);
  if (!group.element.open) {
    group.element.open = true;
    fill(group);
  }
  row.element.open = true;
  furnish(row);
  // An exchange that is not shown in full is a line of a list.
  const target = $(name) ?? row.element.querySelector("pre.head") ?? row.element;
  for (let at = target; at !== row.element; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  target.scrollIntoView({ block: "start" });
  (target.querySelector("summary") ?? row.element.querySelector("summary")).focus({ preventScroll: true });
};

form.addEventListener("submit", (event) => event.preventDefault());
const drawAll = () => {
  for (const body of bodies) { body.isPretty = pretty.checked; draw(body); }
};
form.addEventListener("reset", (event) => event.isTrusted && setTimeout(() => { filter(); drawAll(); keep(); }));
for (const control of [search, bad, ...selects]) control.addEventListener("input", () => { filter(); keep(); });
pretty.addEventListener("input", drawAll);
for (const chip of chips) {
  chip.addEventListener("click", () => {
    const [verdict] = selects;
    verdict.value = verdict.value === chip.dataset.chip ? "" : chip.dataset.chip;
    filter();
    keep();
    $("requirements").scrollIntoView({ block: "start" });
  });
}
addEventListener("hashchange", follow);
// A link to the current address fires no hashchange event.
addEventListener("click", (event) => {
  if (event.target.closest?.("a[href^='#']")?.hash === location.hash) follow();
});
onKey((event) => {
  if (event.key !== "Escape") return;
  clear();
  if (event.target === search) search.blur();
});

form.hidden = false;
for (const chip of chips) chip.setAttribute("aria-pressed", "false");
copied($("causes"));
filter();
follow();
