const { cases, operations, version } = data;
const [operation, verdict, list, pane] = ["operation", "verdict", "list", "case"].map($);
const link = (id, className) => Object.assign(made("a", className, id), { href: `#${id}` });
const TONES = [null, "b", "mark", "i"];

for (const each of cases) {
  each.words = [each.id, each.op, each.verdict, each.rule, each.why, ...each.rows].join("\n").toLowerCase();
  each.link = link(each.id, each.verdict);
  each.link.append(made("small", "", each.why));
}
for (const name of Object.keys(operations)) operation.append(made("option", "", name));
const byId = new Map(cases.map((each) => [each.id, each]));
let shown = cases;

const filter = () => {
  const words = searched();
  shown = cases.filter(
    (each) =>
      (!operation.value || each.op === operation.value) &&
      (!verdict.value || each.verdict === verdict.value) &&
      words.every((word) => each.words.includes(word)),
  );
  list.replaceChildren(...shown.map((each) => each.link));
  count.textContent = `${shown.length} of ${cases.length} cases`;
};

const current = () => byId.get(decodeURIComponent(location.hash.slice(1)));

const details = (each) => {
  const text = made("pre", "", "");
  for (const line of each.lines) {
    if (typeof line === "string") {
      text.append(line);
    } else {
      for (let n = 0; n < line.length; n += 2) {
        const tag = TONES[line[n]];
        text.append(tag ? made(tag, "", line[n + 1]) : line[n + 1]);
      }
    }
    text.append("\n");
  }
  return [made("h2", "", each.id), ...base(each), text];
};
const base = (each) => {
  const named = each.lines.find((line) => typeof line !== "string" && line[0] === 1 && line[1].endsWith(", with"));
  const from = named && byId.get(named[1].slice(0, -", with".length));
  if (!from) return [];
  const line = made("p", "", "made from ");
  line.append(link(from.id, ""));
  return [line];
};

const overview = () => {
  const table = made("table", "", "");
  const head = made("tr", "", "");
  head.append(...["operation", "accepts", "rejects"].map((name) => made("th", "", name)));
  table.append(head);
  for (const [name, { accept, reject }] of Object.entries(operations)) {
    const row = made("tr", "", "");
    row.append(made("td", "", name), ...[accept, reject].map((n) => made("td", "number", String(n))));
    table.append(row);
  }
  return [made("h2", "", `${cases.length} cases of ${Object.keys(operations).length} operations, version ${version}`), table];
};

const show = () => {
  const each = current();
  document.title = each ? `${each.id} · Golden vectors` : "Golden vectors";
  pane.replaceChildren(...(each ? details(each) : overview()));
  pane.scrollTop = 0;
  for (const link of list.querySelectorAll("[aria-current]")) link.removeAttribute("aria-current");
  if (each) {
    each.link.setAttribute("aria-current", "true");
    each.link.scrollIntoView({ block: "nearest" });
  }
};

const step = (by) => {
  const at = shown.indexOf(current());
  const next = shown[at < 0 ? 0 : Math.min(Math.max(at + by, 0), shown.length - 1)];
  if (next) location.hash = next.id;
};

for (const control of [search, operation, verdict]) control.addEventListener("input", filter);
addEventListener("hashchange", show);
onKey((event, isTyping) => {
  if (event.key === "Escape") {
    if (search.value) {
      search.value = "";
      filter();
    } else {
      location.hash = "";
    }
    search.blur();
  } else if (event.key === "Enter" && event.target === search) {
    step(current() && shown.includes(current()) ? 0 : 1);
    pane.focus();
  } else if (!isTyping && (event.key === "j" || event.key === "k")) {
    step(event.key === "j" ? 1 : -1);
  }
});
filter();
show();
