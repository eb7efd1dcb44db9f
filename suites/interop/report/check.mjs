// Opens reports from disk in a real browser and uses them as a reader does.
// node check.mjs WHOLE.html HOSTILE.html [FOLDER-FOR-SCREENSHOTS]; exits with 1 if there are findings.
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [whole, hostile] = process.argv.slice(2, 4).map((path) => pathToFileURL(resolve(path)).href);
const pictures = process.argv[4];
if (pictures) mkdirSync(pictures, { recursive: true });

const findings = [];
let checks = 0;
const check = (holds, what) => {
  checks++;
  if (!holds) findings.push(what);
};

const work = mkdtempSync(join(tmpdir(), "assay-report-"));
let windows = 0;
// Opens a new window with an empty profile folder. Every console message, script error, dialog and request is a finding.
const open = async (url, options = {}) => {
  const context = await chromium.launchPersistentContext(join(work, String(windows++)), {
    executablePath: process.env.ASSAY_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    reducedMotion: "reduce",
    ...options,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && findings.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => findings.push(`script: ${error}`));
  page.on("dialog", (dialog) => findings.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || findings.push(`request for ${request.url()}`));
  await page.goto(url);
  return { context, page };
};
const picture = async (page, name, options = {}) => pictures && (await page.screenshot({ path: join(pictures, `${name}.png`), ...options }));
const visible = (page) => page.locator(".row:not([hidden])").count();
const shown = async (page) => Number((await page.locator("#count").textContent()).split(" ")[0]);
const pictured = (name) => name.replace("#", "");

const worksFilters = async (page, name) => {
  const total = await page.locator(".row").count();
  check(total > 0 && (await shown(page)) === total, `${name}: every row is shown at first`);
  await page.locator("#search").fill("upload");
  const found = await visible(page);
  check(found > 0 && found < total && found === (await shown(page)), `${name}: search shows ${found} of ${total}`);
  await page.locator("#search").fill("nothing has these words");
  check((await visible(page)) === 0 && (await page.locator("#none").isVisible()), `${name}: a search without a match shows a message`);
  await page.locator("#search").fill("");
  for (const id of ["verdict", "service", "evidence", "level"]) {
    const options = await page.locator(`#${id} option`).evaluateAll((all) => all.slice(1).map((one) => [one.value, Number(one.textContent.match(/\((\d+)\)/)[1])]));
    check(options.length > 0, `${name}: ${id} has options`);
    for (const [value, count] of options) {
      await page.locator(`#${id}`).selectOption(value);
      check((await visible(page)) === count && (await shown(page)) === count, `${name}: ${id} ${value} shows ${count}`);
    }
    await page.locator(`#${id}`).selectOption("");
  }
  await page.locator("#bad").check();
  const bad = await page.locator(".row[data-bad]").count();
  check((await visible(page)) === bad, `${name}: the filter for failures shows ${bad} rows`);
  await page.locator("button[type=reset]").click();
  await page.waitForFunction((n) => document.querySelectorAll(".row:not([hidden])").length === n, total);
  const chip = page.locator(".chip").first();
  await chip.click();
  check((await chip.getAttribute("aria-pressed")) === "true" && (await visible(page)) > 0, `${name}: clicking a count filters by its verdict`);
  await page.keyboard.press("Escape");
  check((await visible(page)) === total, `${name}: Escape clears the filters`);
};

const worksByKeyboard = async (page, name) => {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("/");
  check((await page.evaluate(() => document.activeElement.id)) === "search", `${name}: / moves the focus to search`);
  await page.keyboard.type("upload");
  const found = await visible(page);
  const reached = new Set();
  for (let n = 0; n < 12; n++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
    if (reached.has("SUMMARY")) break;
  }
  for (const id of ["verdict", "service", "evidence", "level", "bad", "pretty", "SUMMARY"]) check(reached.has(id), `${name}: Tab reaches ${id}`);
  check(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== "none"), `${name}: the focus is visible`);
  const isOpen = () => page.evaluate(() => document.activeElement.parentElement.open);
  await page.keyboard.press("Enter");
  check(await isOpen(), `${name}: Enter opens a row`);
  await page.keyboard.press("Space");
  check(!(await isOpen()), `${name}: Space closes it`);
  await page.keyboard.press("Escape");
  check(found > 0 && (await visible(page)) > found && (await page.locator("#search").inputValue()) === "", `${name}: Escape clears the search`);
};

const opensAnExchange = async (page, name) => {
  const row = page.locator(".row:has(pre[data-json]):has(.exchanges)").first();
  await row.locator("> summary").click();
  for (const part of [".exchanges", ".exchange:has(pre[data-json])", ".body:has(pre[data-json])"]) {
    const block = row.locator(part).first();
    if (!(await block.evaluate((element) => element.open))) await block.locator("> summary").click();
  }
  const body = row.locator("pre[data-json]").first();
  check(await body.isVisible(), `${name}: an exchange unfolds`);
  const laidOut = await body.textContent();
  const toggle = body.locator("xpath=preceding-sibling::button");
  await toggle.click();
  const sent = await body.textContent();
  check(sent !== laidOut && sent.replace(/\s/g, "") === laidOut.replace(/\s/g, ""), `${name}: formatting changes only the whitespace of JSON`);
  await toggle.click();
  check((await body.textContent()) === laidOut, `${name}: the toggle formats JSON again`);
  await picture(page, `${name}-exchange`);
  await row.locator("> summary").click();
};

// Every text has enough contrast with its background, in both themes.
const contrasts = (page) =>
  page.evaluate(() => {
    const parse = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = parse(getComputedStyle(at).backgroundColor);
        if (colour.length === 3 || colour[3] > 0) return colour;
      }
      return [255, 255, 255];
    };
    const weak = new Set();
    for (const element of document.querySelectorAll("main *, header *, footer")) {
      const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      if (!isText || element.closest("svg") || !element.checkVisibility()) continue;
      const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
      const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) weak.add(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
    }
    return [...weak];
  });

const showsThemes = async (page, name) => {
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  for (const weak of await contrasts(page)) check(false, `${name}: hard to read in light: ${weak}`);
  await picture(page, `${name}-light`);
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await paper();
  check(light !== dark, `${name}: dark differs from light`);
  for (const weak of await contrasts(page)) check(false, `${name}: hard to read in dark: ${weak}`);
  await picture(page, `${name}-dark`);
  await page.locator("#theme").click();
  check((await paper()) === light, `${name}: the button makes it light`);
  await page.locator("#theme").click();
  await page.emulateMedia({ colorScheme: "light" });
  check((await paper()) === dark, `${name}: the button makes it dark`);
  await page.locator("#theme").click();
  check((await paper()) === light, `${name}: the button follows the system again`);
};

const drawsMachines = async (page, name) => {
  const count = await page.locator(".machine svg").count();
  // A real server does not report its internal transitions.
  check(count > 0 || name === "hostile", `${name}: machines are drawn`);
  if (!count) return;
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll(".machine svg text")].flatMap((text) => {
      const rect = text.classList.contains("name") ? text.previousElementSibling : null;
      const [box, room] = [text.getBBox(), rect?.getBBox() ?? text.ownerSVGElement.viewBox.baseVal];
      return box.x < room.x - 1 || box.x + box.width > room.x + room.width + 1 ? [text.textContent] : [];
    }),
  );
  check(wide.length === 0, `${name}: text outside of its box: ${wide}`);
  const lines = await page.evaluate(() => Object.fromEntries(["seen", "unseen", "hidden"].map((kind) => [kind, getComputedStyle(document.querySelector(`.legend .move.${kind}`)).strokeDasharray])));
  check(new Set(Object.values(lines)).size === 3, `${name}: lines differ without colour: ${JSON.stringify(lines)}`);
  if (!pictures) return;
  await page.locator("#machines").screenshot({ path: join(pictures, `${name}-machines.png`) });
};

const fitsAPhone = async (url, name) => {
  const { context, page } = await open(url, { viewport: { width: 360, height: 740 } });
  await page.evaluate(() => document.querySelectorAll(".row[data-bad], .row:nth-child(40n)").forEach((row) => [row, ...row.querySelectorAll("details")].forEach((one) => (one.open = true))));
  await page.waitForTimeout(0);
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  check(wide <= room, `${name}: on a phone, the page is ${wide} pixels wide in a window of ${room}`);
  await picture(page, `${name}-phone`);
  await page.locator("#machines").scrollIntoViewIfNeeded();
  await picture(page, `${name}-phone-machines`);
  await context.close();
};

const readsWithoutScript = async (url, name) => {
  const { context, page } = await open(url, { javaScriptEnabled: false });
  check(!(await page.locator("#filters").isVisible()), `${name}: without scripts the filters are hidden`);
  const row = page.locator(".row").first();
  await row.locator("> summary").click();
  check(await row.locator(".inside").isVisible(), `${name}: without scripts a row unfolds`);
  await context.close();
};

const goesToARow = async (url, name) => {
  const { context, page } = await open(url);
  const id = await page.locator(".row").nth(60).or(page.locator(".row").last()).first().getAttribute("id");
  await page.goto(`${url}#${id}`);
  await page.reload();
  const row = page.locator(`[id="${id}"]`);
  check(await row.evaluate((element) => element.open), `${name}: a link to ${pictured(id)} opens its row`);
  const { y } = await row.boundingBox();
  check(y >= 0 && y < 700, `${name}: a link scrolls to its row, at ${y}`);
  await context.close();
};

const neverActs = async (url) => {
  const { context, page } = await open(url);
  const title = await page.title();
  await page.locator("#bad").check();
  await picture(page, "failing-rows", { fullPage: false });
  const bad = page.locator(".row[data-bad]");
  const count = await bad.count();
  check(count > 0, "hostile: there are failures");
  for (let n = 0; n < Math.min(count, 6); n++) {
    await bad.nth(n).locator("> summary").click();
    await bad.nth(n).evaluate((row) => row.querySelectorAll("details").forEach((one) => (one.open = true)));
  }
  const copy = bad.first().locator("button", { hasText: "Copy" }).first();
  if (await copy.count()) {
    await copy.click();
    await page.waitForFunction(() => [...document.querySelectorAll("button")].some((one) => ["Copied", "Selected"].includes(one.textContent)));
  } else check(false, "hostile: a failure has a copy button");
  const acted = await page.evaluate(() => [document.images.length, document.scripts.length, document.querySelectorAll("[onerror], [onclick], [onload], iframe, object, embed, base, meta[http-equiv=refresh]").length, [...document.links].filter((link) => !link.getAttribute("href").startsWith("#")).length]);
  check(acted.join() === "0,1,0,0", `hostile: markup became elements: ${acted}`);
  check((await page.title()) === title && title === "Conformance report", `hostile: the title is ${title}`);
  const text = await bad.first().textContent();
  check(text.includes("</script>") && text.includes("<img"), "hostile: markup is shown as text");
  check(!/[\u202a-\u202e\u2066-\u2069\0]/.test(await page.evaluate(() => document.body.textContent)), "hostile: no control character reverses the text");
  await bad.first().scrollIntoViewIfNeeded();
  await bad.first().evaluate((row) => row.scrollIntoView());
  await picture(page, "failing-row");
  await context.close();
};

try {
  for (const [name, url] of Object.entries({ whole, hostile })) {
    const { context, page } = await open(url);
    await showsThemes(page, name);
    await worksFilters(page, name);
    await worksByKeyboard(page, name);
    await opensAnExchange(page, name);
    await drawsMachines(page, name);
    await context.close();
    await fitsAPhone(url, name);
    await readsWithoutScript(url, name);
    await goesToARow(url, name);
  }
  await neverActs(hostile);
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
for (const finding of findings) console.error(`found: ${finding}`);
console.log(`${checks} checks of the reports in a browser, ${findings.length} findings`);
process.exit(findings.length ? 1 : 0);
