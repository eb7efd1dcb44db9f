"use strict";
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const [search, count, theme] = ["search", "count", "theme"].map($);

const made = (name, className, text) => Object.assign(document.createElement(name), { className, textContent: text });

// The words of the search.
const searched = () => search.value.toLowerCase().split(/\s+/).filter(Boolean);

// `/` moves the focus to the search; `act` gets every other key, and whether it goes to a control.
const onKey = (act) =>
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target === search || event.target.tagName === "SELECT";
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      search.focus();
      search.select();
    } else act(event, isTyping);
  });

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
setTheme(THEMES.includes(kept) ? kept : "auto");
theme.hidden = false;

