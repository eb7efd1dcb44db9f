"use strict";

const API = "/_sim/v1";
// At most so many rows and items are shown at once; a filter finds the others.
const ROWS = 300;

const $ = (selector, from = document) => from.querySelector(selector);

// An element with attributes, event handlers (functions) and children. Strings become text, never markup.
function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== false && value != null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child != null));
  return element;
}

// The token of the control API comes in the fragment, which no server sees. It leaves the address at once.
const fragment = new URLSearchParams(location.hash.slice(1));
if (fragment.has("token")) {
  sessionStorage.setItem("assay-token", fragment.get("token"));
  history.replaceState(null, "", location.pathname);
}

let world = "";
let info = {};

// A request to the control API of a world; `path` is below the path of that world.
async function call(method, path, body, { signal, of = world } = {}) {
  const headers = {};
  const token = sessionStorage.getItem("assay-token");
  if (token) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await fetch([of ? `${API}/worlds/${of}` : API, path].filter(Boolean).join("/"), {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  });
  if (response.ok) return response;
  const text = await response.text();
  let why = text;
  try {
    why = JSON.parse(text).error;
  } catch {
    // A server between may have answered.
  }
  if (response.status === 401) why += ". Open this page with #token=TOKEN at the end of its address.";
  throw new Error(`${method} ${path}: ${response.status} ${why}`);
}

const get = async (path) => (await call("GET", path)).json();

function say(problem) {
  $("#problem").textContent = problem ? problem.message : "";
  $("#problem").hidden = !problem;
}

// Runs what a control does, and shows why it failed.
const doing = (work) => async (event) => {
  event?.preventDefault?.();
  try {
    say(null);
    await work(event);
  } catch (problem) {
    say(problem);
  }
};

const put = async (path, body) => (await call("PUT", path, body)).json();

/* The clock */

let clock = { now: 0, mode: "manual", at: 0 };

const time = (ms) => new Date(ms).toISOString();

function setClock({ now, mode }) {
  clock = { now, mode, at: Date.now() };
  $("#mode").value = mode;
  tick();
}

function tick() {
  const now = clock.mode === "real" ? clock.now + Date.now() - clock.at : clock.now;
  $("#now").textContent = time(now);
  $("#now").dateTime = time(now);
}

const moveClock = async (body) => setClock(await (await call("POST", "clock", body)).json());

/* Requests */

let chosen = 0;

const statusClass = (status) => (status == null || status >= 500 ? "broken" : status >= 400 ? "refused" : "ok");
const path = (received) => `${received.method} ${received.target}`;

async function showRequests() {
  const form = $("#requests form");
  const query = new URLSearchParams({ limit: ROWS });
  for (const [name, value] of new FormData(form)) if (value.trim()) query.set(name, value.trim());
  const { count, kept, requests } = await get(`requests?${query}`);
  const all = requests.reverse();
  $("#requests .count").textContent =
    kept === 0
      ? "No request has arrived yet. Send one to a site of the list below."
      : `${count} of the ${kept} requests that are kept${all.length < count ? `, the latest ${all.length} are shown` : ""}`;
  if (kept === 0) $("#requests .count").append(sites());
  const focused = document.activeElement?.dataset.exchange;
  $("#requests tbody").replaceChildren(
    ...all.map((received) => {
      const show = () => showExchange(received);
      return el(
        "tr",
        {
          tabindex: 0,
          "data-exchange": received.exchange,
          "aria-current": received.exchange === chosen && "true",
          click: show,
          keydown: (event) => event.key === "Enter" && show(),
        },
        el("td", {}, time(received.at).slice(11, 19)),
        el("td", {}, received.site),
        el("td", { class: "mono" }, path(received)),
        el("td", { class: statusClass(received.status) }, received.status == null ? "–" : String(received.status)),
        el("td", {}, String(received.ms)),
        el("td", {}, received.why.map((one) => one.requirement).join(", ")),
      );
    }),
  );
  if (focused) $(`#requests tr[data-exchange="${focused}"]`)?.focus({ preventScroll: true });
  const open = all.find((received) => received.exchange === chosen);
  if (open) showExchange(open);
}

const sites = () =>
  el("dl", {}, Object.entries(info.sites).flatMap(([name, url]) => [el("dt", {}, name), el("dd", { class: "mono" }, url)]));

function body(shown) {
  if (!shown.bytes) return el("p", { class: "quiet" }, "no body");
  let content = shown.text ?? shown.hex ?? "secret";
  try {
    content = JSON.stringify(JSON.parse(content), null, 2);
  } catch {
    // It is shown as it is.
  }
  const note = `${shown.bytes} bytes${shown.hex ? ", as hex" : ""}${shown.cut ? ", cut" : ""}`;
  return [el("p", { class: "quiet" }, note), el("pre", { tabindex: 0 }, content)];
}

const headers = (list) => el("dl", {}, list.flatMap(([name, value]) => [el("dt", {}, name), el("dd", { class: "mono" }, value)]));
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curl(received) {
  const skipped = ["host", "content-length", "connection", "transfer-encoding"];
  const words = ["curl -sS -i --path-as-is", `-X ${received.method}`];
  for (const [name, value] of received.request.headers) if (!skipped.includes(name)) words.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (received.request.body.text) words.push(`--data-binary ${quoted(received.request.body.text)}`);
  words.push(quoted(info.sites[received.site] + received.target));
  return words.join(" ");
}

function showExchange(received) {
  chosen = received.exchange;
  for (const row of document.querySelectorAll("#requests tbody tr")) {
    if (Number(row.dataset.exchange) === chosen) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
  const article = $("#requests article");
  const whole = !received.request.body.cut && !received.request.body.hex;
  const copy = el("button", { type: "button", click: doing(() => navigator.clipboard.writeText(curl(received))) }, "Copy as curl");
  const close = doing(() => {
    chosen = 0;
    article.hidden = true;
    $(".split").classList.remove("open");
  });
  article.replaceChildren(
    el("h2", { class: "mono" }, path(received)),
    el("p", {}, whole ? copy : null, " ", el("button", { type: "button", click: close }, "Close")),
    el("p", { class: "quiet" }, `exchange ${received.exchange}, ${received.site}, from ${received.peer}, ${time(received.at)}`),
    el("h3", {}, "Why"),
    received.why.length
      ? el("ul", { class: "items" }, received.why.map((one) => el("li", {}, el("code", {}, one.requirement), `: ${one.why}`, one.accepted ? " (accepted by a deviation)" : "")))
      : el("p", { class: "quiet" }, "No rule was violated."),
    el("h3", {}, "Request"),
    headers(received.request.headers),
    ...[body(received.request.body)].flat(),
    el("h3", { class: statusClass(received.status) }, `Response ${received.status ?? "none"}${received.ended === "cut" ? ", broken off" : received.ended === "left" ? ", the client left" : ""}`),
    headers(received.response.headers),
    ...[body(received.response.body)].flat(),
  );
  article.hidden = false;
  $(".split").classList.add("open");
}

/* State */

const isPlain = (value) => value === null || typeof value !== "object";
const plain = (value) => (value === null ? "–" : String(value));

// Any JSON value: objects of equal form are rows of a table.
function shown(value) {
  if (isPlain(value)) return plain(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return "none";
  const rows = entries.map(([, one]) => one);
  if (rows.every((one) => !isPlain(one) && !Array.isArray(one)) && entries.length > 1) return table(value, entries);
  if (Array.isArray(value) && rows.every(isPlain)) return rows.map(plain).join(", ");
  return el("dl", {}, entries.flatMap(([name, one]) => [el("dt", {}, name), el("dd", {}, shown(one))]));
}

function table(value, entries) {
  const names = [...new Set(entries.slice(0, ROWS).flatMap(([, one]) => Object.keys(one)))];
  const isNamed = !Array.isArray(value);
  const head = el("tr", {}, isNamed ? el("th", {}, "name") : null, names.map((name) => el("th", {}, name)));
  const row = ([name, one]) =>
    el("tr", {}, isNamed ? el("td", { class: "mono" }, name) : null, names.map((key) => el("td", {}, key in one ? shown(one[key]) : "")));
  const rest = entries.length - ROWS;
  return el(
    "div",
    { class: "scroll", tabindex: 0 },
    el("table", {}, el("thead", {}, head), el("tbody", {}, entries.slice(0, ROWS).map(row))),
    rest > 0 ? el("p", { class: "quiet" }, `and ${rest} more`) : null,
  );
}

async function showState() {
  const state = await get("state");
  $("#state").replaceChildren(
    ...Object.entries(state).flatMap(([service, view]) => [el("h2", {}, service), service === "drop" ? drops(view) : null, shown(view)]).filter(Boolean),
  );
}

// Live drops can be opened in a frame, without the rights of this page.
function drops(view) {
  const urls = Object.values(view.drops).filter((drop) => drop.state !== "removed").map((drop) => `${info.sites.drop}${drop.root}/`);
  if (urls.length === 0) return null;
  const frame = el("iframe", { sandbox: "allow-scripts", title: "A dropped site", hidden: true });
  const open = (url) => () => {
    frame.hidden = false;
    frame.src = url;
  };
  return el("div", {}, el("ul", { class: "items" }, urls.map((url) => el("li", {}, el("button", { type: "button", click: open(url) }, "Open"), ` ${url}`))), frame);
}

/* Switches: faults, deviations and variations */

// A list of named switches with a filter. `known`: name to description. `isOn(name)`; `change(name, on, item)`.
function switches(section, known, isOn, change, extra = () => null) {
  const list = el("ul", { class: "items" });
  const count = el("p", { class: "count", role: "status" });
  const filter = el("input", { type: "search", value: $("[type=search]", section)?.value ?? "", input: () => draw() });
  const draw = () => {
    const wanted = filter.value.trim().toLowerCase();
    const fits = Object.entries(known).filter(([name, about]) => `${name} ${about}`.toLowerCase().includes(wanted));
    // What is on comes first.
    fits.sort(([a], [b]) => isOn(b) - isOn(a));
    count.textContent = `${fits.filter(([name]) => isOn(name)).length} on, ${fits.length} of ${Object.keys(known).length}${fits.length > ROWS ? `, the first ${ROWS} are shown` : ""}`;
    list.replaceChildren(
      ...fits.slice(0, ROWS).map(([name, about]) => {
        const item = el("li");
        const box = el("input", { type: "checkbox", change: doing(async () => change(name, box.checked, item)) });
        box.checked = isOn(name);
        item.append(el("label", {}, box, el("span", {}, el("code", {}, name), " ", el("span", { class: "about" }, about))), extra(name, about) ?? "");
        return item;
      }),
    );
  };
  section.replaceChildren(el("form", { class: "filter", submit: doing(() => {}) }, el("label", {}, "Filter ", filter)), count, list);
  draw();
}

async function showNames(path) {
  // A deviation at some places is an object.
  const active = await get(path);
  const is = (name) => (one) => (one.id ?? one) === name;
  const change = async (name, isOn) => {
    await put(path, isOn ? [...active, name] : active.filter((one) => !is(name)(one)));
    await showNames(path);
  };
  switches($(`#${path}`), info[path], (name) => active.some(is(name)), change);
}

async function showFaults() {
  const active = await get("faults");
  const wanted = ({ fault, where, nth, times, from, until }) => ({ fault, where, nth, times, from, until });
  const conditions = (about) => (/; where: (.*)$/.exec(about)?.[1] ?? "").split(", ").filter(Boolean);
  const change = async (name, isOn, item) => {
    const others = active.filter((one) => one.fault !== name).map(wanted);
    const where = {};
    for (const input of item.querySelectorAll("input[name]")) if (input.value.trim()) where[input.name] = input.value.trim();
    await put("faults", isOn ? [...others, { fault: name, where }] : others);
    await showFaults();
  };
  const fields = (name, about) => {
    const now = active.find((one) => one.fault === name);
    const names = conditions(about);
    return names.length
      ? el("div", { class: "where" }, names.map((key) => el("label", {}, `${key} `, el("input", { name: key, value: now?.where[key] ?? "", size: 12, disabled: Boolean(now) }))), now ? `matched ${now.matched} times` : null)
      : null;
  };
  switches($("#faults"), info.faults, (name) => active.some((one) => one.fault === name), change, fields);
}

/* Limits, actions, machines, worlds */

async function showLimits() {
  const limits = await get("limits");
  const field = (service, name, value) => {
    const input = el("input", { type: "number", value, change: doing(async () => put("limits", { [service]: { [name]: Number(input.value) } })) });
    return [el("dt", {}, name), el("dd", {}, el("label", {}, el("span", { class: "quiet" }, name.endsWith("_ms") ? "ms " : ""), input))];
  };
  $("#limits").replaceChildren(
    ...Object.entries(limits).flatMap(([service, values]) => [
      el("h2", {}, service),
      el("dl", {}, Object.entries(values).flatMap(([name, value]) => (typeof value === "number" ? field(service, name, value) : [el("dt", {}, name), el("dd", {}, shown(value))]))),
    ]),
  );
  for (const input of document.querySelectorAll("#limits dd input")) input.setAttribute("aria-label", input.closest("dd").previousElementSibling.textContent);
}

function showActions() {
  if ($("#actions form")) return;
  const about = el("p", { class: "quiet" });
  const names = Object.keys(info.actions);
  const select = el("select", { change: () => describe() }, names.map((name) => el("option", {}, name)));
  const argumentsField = el("textarea", { rows: 4 });
  const result = el("pre", { tabindex: 0, hidden: true });
  const describe = () => {
    about.textContent = info.actions[select.value];
    argumentsField.value = "{}";
  };
  const run = doing(async () => {
    let given;
    try {
      given = JSON.parse(argumentsField.value || "{}");
    } catch (problem) {
      throw new Error(`the arguments are not JSON: ${problem.message}`);
    }
    const answer = await (await call("POST", "actions", { action: select.value, arguments: given })).json();
    result.hidden = false;
    result.textContent = JSON.stringify(answer, null, 2);
  });
  describe();
  $("#actions").replaceChildren(
    el("form", { submit: run }, el("p", {}, el("label", {}, "Action ", select)), about, el("label", {}, "Arguments, as JSON", argumentsField), el("p", {}, el("button", {}, "Run"))),
    result,
  );
}

async function showMachines() {
  const machines = await get("machines");
  const row = (one) => el("tr", {}, el("td", {}, one.from), el("td", {}, one.event), el("td", {}, one.to), el("td", { class: one.made ? "ok" : "" }, one.made ? "yes" : ""));
  $("#machines").replaceChildren(
    ...Object.entries(machines).flatMap(([name, transitions]) => [
      el("h2", {}, `${name}: ${transitions.filter((one) => one.made).length} of ${transitions.length} transitions made`),
      el("table", {}, el("thead", {}, el("tr", {}, ["from", "event", "to", "made"].map((title) => el("th", {}, title)))), el("tbody", {}, transitions.map(row))),
    ]),
  );
}

const snapshots = [];

async function showWorlds() {
  const save = doing(async () => {
    const { snapshot } = await (await call("POST", "snapshot", {})).json();
    snapshots.push({ snapshot, at: clock.now });
    await showWorlds();
  });
  const restore = (name) => doing(async () => setClock(await (await call("POST", "restore", { snapshot: name })).json()));
  const fork = doing(async () => {
    await call("POST", "fork", { mode: clock.mode });
    await refreshInfo();
    await showWorlds();
  });
  const end = (name) =>
    doing(async () => {
      await call("DELETE", "", undefined, { of: name });
      if (world === name) enter("");
      await refreshInfo();
      await showWorlds();
    });
  $("#worlds").replaceChildren(
    el("h2", {}, "Snapshots of this world"),
    el("p", {}, el("button", { type: "button", click: save }, "Take a snapshot")),
    el("ul", { class: "items" }, snapshots.map(({ snapshot, at }) => el("li", {}, `${snapshot}, taken at ${time(at)} `, el("button", { type: "button", click: restore(snapshot) }, "Restore")))),
    el("h2", {}, "Forked worlds"),
    el("p", {}, el("button", { type: "button", click: fork }, "Fork this world")),
    el("ul", { class: "items" }, info.worlds.map((name) => el("li", {}, `${name} `, el("button", { type: "button", click: end(name) }, "End")))),
    el("h2", {}, "Sites of this world"),
    sites(),
  );
}

// Shows another world from now on.
function enter(name) {
  world = name;
  chosen = 0;
  $("#requests article").hidden = true;
  $(".split").classList.remove("open");
  follow();
}

/* Views */

const VIEWS = {
  requests: ["Requests", showRequests],
  state: ["State", showState],
  faults: ["Faults", showFaults],
  deviations: ["Deviations", () => showNames("deviations")],
  variations: ["Variations", () => showNames("variations")],
  limits: ["Limits", showLimits],
  actions: ["Actions", showActions],
  machines: ["Machines", showMachines],
  worlds: ["Worlds", showWorlds],
};
// These follow what happens; the others would lose what a reader types.
const LIVE = ["requests", "state", "machines"];
let view = "requests";

const show = doing(async () => {
  view = location.hash.slice(1) in VIEWS ? location.hash.slice(1) : "requests";
  for (const name of Object.keys(VIEWS)) $(`#${name}`).hidden = name !== view;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  await VIEWS[view][1]();
});

async function refreshInfo() {
  info = await get("info");
  const names = ["", ...info.worlds];
  $("#world").replaceChildren(...names.map((name) => el("option", { value: name }, name || "main")));
  $("#world").value = world;
  const select = $("#requests [name=site]");
  const wanted = select.value;
  select.replaceChildren(el("option", { value: "" }, "all"), ...Object.keys(info.sites).map((name) => el("option", {}, name)));
  select.value = wanted;
}

/* Changes of the world, as they come */

let following = new AbortController();
let drawn = Promise.resolve();
let due = false;

// At most one drawing waits while another is under way.
function changed() {
  if (due) return;
  due = true;
  drawn = drawn.then(async () => {
    due = false;
    try {
      setClock(await get("clock"));
      if (LIVE.includes(view)) await VIEWS[view][1]();
    } catch (problem) {
      say(problem);
    }
  });
}

async function follow() {
  following.abort();
  following = new AbortController();
  const { signal } = following;
  while (!signal.aborted) {
    try {
      const reader = (await call("GET", "changes", undefined, { signal })).body.getReader();
      $("#link").textContent = "live";
      say(null);
      await refreshInfo();
      await show();
      while (!(await reader.read()).done) changed();
    } catch (problem) {
      if (signal.aborted) return;
      say(problem);
    }
    $("#link").textContent = "not connected";
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

$("nav").append(...Object.entries(VIEWS).map(([name, [title]]) => el("a", { href: `#${name}` }, title)));
$("#clock").addEventListener("submit", doing(() => moveClock({ advance: $("#by").value.replaceAll(/\s/g, "") })));
for (const button of document.querySelectorAll("#clock [data-ms]")) button.addEventListener("click", doing(() => moveClock({ advance_ms: Number(button.dataset.ms) })));
$("#mode").addEventListener("change", doing(() => moveClock({ mode: $("#mode").value })));
$("#world").addEventListener("change", () => enter($("#world").value));
$("#requests form").addEventListener("submit", (event) => event.preventDefault());
$("#requests form").addEventListener("input", doing(showRequests));
addEventListener("hashchange", show);
setInterval(tick, 250);
follow();
