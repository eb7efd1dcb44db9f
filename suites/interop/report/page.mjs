// Uses the page of a running simulator in a real browser as a reader does.
// node page.mjs CONTROL-URL TOKEN-URL TOKEN [FOLDER-FOR-SCREENSHOTS]: the control API of a simulator without a token, and of one with
// this token. Exits with 1 if there are findings.
import { axe, camera, check, end, find, open as openWindow } from "./browser.mjs";

const [control, guarded, token, pictures] = process.argv.slice(2);
const picture = camera(pictures);

const api = async (path, method = "GET", body) => {
  const response = await fetch(`${control}/_sim/v1/${path}`, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return response.json();
};

// Opens a window that may send requests to its own origin and these. Some answers of the API are meant to be errors.
const open = async (url, options = {}, origins = []) => {
  const allowed = [new URL(url).origin, ...origins];
  const allows = (requested) => allowed.includes(new URL(requested).origin) || requested.startsWith("data:");
  const opened = await openWindow(url, { allows, expects: (message) => /status of 40[01]/.test(message), ...options });
  opened.page.setDefaultTimeout(10_000);
  return opened;
};
// The page's policy forbids scripts that are written into it, so axe is evaluated from outside.
const accessible = async (page, name) => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  for (const { id, nodes } of violations) find(`${name}: axe ${id}: ${nodes[0].html.slice(0, 120)}`);
  check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: nothing is wider than the window`);
};

const { sites } = await api("info");
const { context, page } = await open(`${control}/`, {}, [new URL(sites.drop).origin]);
const view = async (name) => {
  await page.locator(`nav a[href="#${name}"]`).click();
  await page.locator(`#${name}`).waitFor();
};

await page.locator("#link", { hasText: "live" }).waitFor();

// A request appears while the page is open, with its reason.
const mark = `/interop-${Date.now()}`;
await fetch(`${sites.gateway}${mark}?a='b'`, { method: "POST", body: '{"text":"<b>bold</b>"}', headers: { "content-type": "application/json" } });
const row = page.locator("#requests tbody tr", { hasText: mark });
await row.waitFor();
check((await row.textContent()).includes("404"), "requests: the row has its status");
await row.focus();
await page.keyboard.press("Enter");
const exchange = page.locator("#requests article");
await exchange.waitFor();
check((await exchange.textContent()).includes("<b>bold</b>"), "requests: markup in a body is text");
check((await exchange.locator("b").count()) === 0, "requests: markup in a body is not rendered");
await picture(page, "requests");
await accessible(page, "requests");
await fetch(`${sites.publish}/api/vf-cli/publish/prepare`, { method: "POST", body: "{}" });
const refused = page.locator("#requests tbody tr", { hasText: "publish.envelope" });
await refused.first().waitFor();
await refused.first().click();
check((await exchange.textContent()).includes("publish.envelope"), "requests: a rejection names its rule");
await page.locator("#requests [name=path]").fill(mark);
await page.waitForFunction(() => document.querySelectorAll("#requests tbody tr").length === 1);
await page.locator("#requests [name=status]").fill("wrong");
await page.locator("#problem", { hasText: "is not a status" }).waitFor();
await page.locator("#requests [name=status]").fill("");
await page.locator("#requests [name=path]").fill("");

// The clock.
const { mode } = await api("clock");
await page.locator("#mode").selectOption("manual");
await page.waitForFunction(() => document.querySelector("#mode").value === "manual");
const before = (await api("clock")).now;
await page.locator("#clock button", { hasText: "+1 h" }).click();
await page.locator("#by").fill("2m");
await page.locator("#clock button", { hasText: "Advance" }).click();
let now = 0;
for (let tries = 0; tries < 50 && now - before < 3_720_000; tries++) now = (await api("clock")).now;
check(now - before === 3_720_000, `clock: it moved by ${now - before} ms`);
await page.locator("#by").fill("soon");
await page.keyboard.press("Enter");
await page.locator("#problem", { hasText: "is not a duration" }).waitFor();
await page.locator("#mode").selectOption(mode);

// Switches, and what each does to the world.
for (const [name, wanted] of [["variations", "drop.status-201"], ["deviations", "drop.response.expires-at/seconds"], ["faults", "network.invalid"]]) {
  await view(name);
  await page.locator(`#${name} [type=search]`).fill(wanted);
  const item = page.locator(`#${name} li`, { has: page.locator("code", { hasText: wanted }) }).first();
  if (name === "faults") await item.locator("input[name=address]").fill("0x1");
  await item.locator("[type=checkbox]").check();
  await page.locator(`#${name} .count`, { hasText: "1 on" }).waitFor();
  const active = await api(name);
  check(JSON.stringify(active).includes(wanted), `${name}: ${wanted} is on`);
  if (name === "faults") check(active[0].where.address === "0x1", "faults: the condition is set");
  await picture(page, name);
  await accessible(page, name);
  check((await page.locator(`#${name} [type=search]`).inputValue()) === wanted, `${name}: the filter stays`);
  await page.locator(`#${name} [type=checkbox]`).first().uncheck();
  await page.locator(`#${name} .count`, { hasText: "0 on" }).waitFor();
  check((await api(name)).length === 0, `${name}: it is off again`);
}

await view("limits");
const limit = page.getByLabel("drops_per_hour");
await limit.fill("7");
await limit.press("Tab");
for (let tries = 0; tries < 50 && (await api("limits")).drop.drops_per_hour !== 7; tries++);
check((await api("limits")).drop.drops_per_hour === 7, "limits: the limit is set");
await accessible(page, "limits");
await api("limits", "PUT", { drop: { drops_per_hour: 10 } });

await view("actions");
await page.locator("#actions select").selectOption("gateway.key");
await page.locator("#actions textarea").fill('{"state":"valid"}');
await page.locator("#actions button", { hasText: "Run" }).click();
await page.locator("#actions pre", { hasText: "svc-" }).waitFor();
await accessible(page, "actions");

await view("machines");
check((await page.locator("#machines table").count()) > 5, "machines: each has a table");
await accessible(page, "machines");

await view("state");
check((await page.locator("#state").textContent()).includes("pool-001"), "state: it has the bindings");
await picture(page, "state");
await accessible(page, "state");

// A fork is another world with its own requests.
await view("worlds");
await page.locator("#worlds button", { hasText: "Take a snapshot" }).click();
await page.locator("#worlds button", { hasText: "Restore" }).waitFor();
await page.locator("#worlds button", { hasText: "Fork this world" }).click();
const ending = page.locator("#worlds button", { hasText: "End" });
await ending.first().waitFor();
const { worlds } = await api("info");
const fork = worlds.at(-1);
await accessible(page, "worlds");
await page.locator("#world").selectOption(fork);
await page.waitForFunction((name) => document.querySelector("#world").value === name && document.querySelector("#link").textContent === "live", fork);
const there = (await api(`worlds/${fork}/info`)).sites;
await fetch(`${there.metadata}${mark}`);
await view("requests");
await page.locator("#requests tbody tr", { hasText: "metadata" }).first().waitFor();
await page.locator("#world").selectOption("");
await view("worlds");
await page.locator("#worlds li", { hasText: fork }).locator("button").click();
await page.waitForFunction(() => !document.querySelector("#problem").textContent);
for (let tries = 0; tries < 50 && (await api("info")).worlds.includes(fork); tries++);
check(!(await api("info")).worlds.includes(fork), "worlds: the fork has ended");
await context.close();

// A narrow window in the dark.
const small = await open(`${control}/`, { viewport: { width: 390, height: 800 }, colorScheme: "dark" });
await small.page.locator("#requests tbody tr").first().waitFor();
await picture(small.page, "narrow");
await accessible(small.page, "narrow");
await small.context.close();

// Without the token nothing is shown but what to do; with it the address keeps none of it.
const closed = await open(`${guarded}/`);
await closed.page.locator("#problem", { hasText: "#token=" }).waitFor();
await closed.context.close();
const opened = await open(`${guarded}/#token=${encodeURIComponent(token)}`);
await opened.page.locator("#link", { hasText: "live" }).waitFor();
check(!opened.page.url().includes(token), "token: the address does not keep it");
await opened.context.close();

end("the simulator's page");
