"use strict";
const $ = (id) => document.getElementById(id);
const [form, search, bad, pretty, count, none, theme] = ["filters", "search", "bad", "pretty", "count", "none", "theme"].map($);
const selects = ["verdict", "service", "evidence", "level"].map($);
const rows = [...document.querySelectorAll(".row")].map((element) => ({
  element,
  service: element.closest(".service").dataset.service,
  verdicts: element.dataset.verdict.split(" "),
  words: `${element.querySelector("summary").textContent} ${element.dataset.words ?? ""}`.toLowerCase(),
}));
const chips = [...document.querySelectorAll("[data-chip]")];

const filter = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const [verdict, service, evidence, level] = selects.map((each) => each.value);
  let shown = 0;
  for (const { element, ...row } of rows) {
    const matches =
      (!verdict || row.verdicts.includes(verdict)) &&
      (!service || row.service === service) &&
      (!evidence || element.dataset.evidence === evidence) &&
      (!level || element.dataset.level === level) &&
      (!bad.checked || "bad" in element.dataset) &&
      words.every((word) => row.words.includes(word));
    element.hidden = !matches;
    shown += matches;
  }
  for (const group of document.querySelectorAll(".group, .service")) group.hidden = !group.querySelector(".row:not([hidden])");
  count.textContent = `${shown} of ${rows.length} requirements`;
  none.hidden = shown > 0;
  for (const chip of chips) chip.setAttribute("aria-pressed", String(chip.dataset.chip === verdict));
};

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
// A row gets its buttons when it is first opened.
const furnish = (row) => {
  if (row.dataset.furnished) return;
  row.dataset.furnished = "yes";
  for (const pre of row.querySelectorAll(".curl")) pre.before(button("Copy", (made) => copy(pre.textContent, made)));
  for (const pre of row.querySelectorAll("pre[data-json]")) {
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
for (const { element } of rows) element.addEventListener("toggle", () => element.open && furnish(element));

const clear = () => {
  form.reset();
  for (const body of bodies) { body.isPretty = pretty.checked; draw(body); }
  filter();
};
const follow = () => {
  let target = null;
  try {
    target = $(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return;
  }
  if (!target?.classList.contains("row")) return;
  if (target.hidden) clear();
  target.open = true;
  furnish(target);
  target.scrollIntoView({ block: "start" });
  target.querySelector("summary").focus({ preventScroll: true });
};

const THEMES = ["auto", "light", "dark"];
const setTheme = (name) => {
  document.documentElement.dataset.theme = name;
  theme.textContent = `Theme: ${name}`;
};
theme.addEventListener("click", () => {
  const now = document.documentElement.dataset.theme;
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  setTheme(next);
  try {
    localStorage.setItem("assay-theme", next);
  } catch {
    // Some browsers have no storage for a page from disk.
  }
});
let kept = null;
try {
  kept = localStorage.getItem("assay-theme");
} catch {
  // As above.
}

form.addEventListener("submit", (event) => event.preventDefault());
const drawAll = () => {
  for (const body of bodies) { body.isPretty = pretty.checked; draw(body); }
};
form.addEventListener("reset", () => setTimeout(() => { filter(); drawAll(); }));
for (const control of [search, bad, ...selects]) control.addEventListener("input", filter);
pretty.addEventListener("input", drawAll);
for (const chip of chips) {
  chip.addEventListener("click", () => {
    const [verdict] = selects;
    verdict.value = verdict.value === chip.dataset.chip ? "" : chip.dataset.chip;
    filter();
    $("requirements").scrollIntoView({ block: "start" });
  });
}
addEventListener("hashchange", follow);
// A link to the current address fires no hashchange event.
addEventListener("click", (event) => {
  if (event.target.closest?.("a[href^='#']")?.hash === location.hash) follow();
});
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target === search || event.target.tagName === "SELECT";
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "Escape") {
    clear();
    if (event.target === search) search.blur();
  }
});

setTheme(THEMES.includes(kept) ? kept : "auto");
theme.hidden = false;
form.hidden = false;
for (const chip of chips) chip.setAttribute("aria-pressed", "false");
filter();
follow();
