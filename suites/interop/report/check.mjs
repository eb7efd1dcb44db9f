// Opens reports from disk in a real browser and uses them as a reader does.
// node check.mjs WHOLE.html FAILING.html HOSTILE.html HISTORY.html [FOLDER-FOR-SCREENSHOTS]; exits with 1 if there are findings.
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { axe, camera, check, clean, end, open as openWindow } from "./browser.mjs";

// The limits of a page at load.
const BYTES = 1_500_000;
const NODES = 5_000;
const [whole, failing, hostile, history] = process.argv.slice(2, 6).map((path) => pathToFileURL(resolve(path)).href);
const pictures = process.argv[6];
const picture = camera(pictures);

// A report requests nothing.
const open = (url, options = {}) => openWindow(url, { allows: (requested) => /^(file|data):/.test(requested), ...options });
const visible = (page) => page.locator(".row").count();
const shown = async (page) => Number((await page.locator("#count").textContent()).split(" ")[0]);
const pictured = (name) => name.replace("#", "");

// More rows than this are rendered by hand only.
const RENDERED = 300;

const worksFilters = async (page, name) => {
  const total = Number((await page.locator("#count").textContent()).split(" ")[2]);
  check(total > 0 && (await shown(page)) === total, `${name}: every row counts at first`);
  check((await visible(page)) === 0, `${name}: no row is rendered at first`);
  await page.locator("#search").fill("upload");
  const found = await visible(page);
  check(found > 0 && found < total && found === (await shown(page)), `${name}: search shows ${found} of ${total}`);
  await page.reload();
  check((await visible(page)) === found && (await page.locator("#search").inputValue()) === "upload", `${name}: the address keeps the search`);
  await page.locator("#search").fill("nothing has these words");
  check((await visible(page)) === 0 && (await page.locator("#none").isVisible()), `${name}: a search without a match shows a message`);
  await page.locator("#search").fill("");
  for (const id of ["verdict", "service", "evidence", "level"]) {
    const options = await page.locator(`#${id} option`).evaluateAll((all) => all.slice(1).map((one) => [one.value, Number(one.textContent.match(/\((\d+)\)/)[1])]));
    check(options.length > 0, `${name}: ${id} has options`);
    for (const [value, count] of options) {
      await page.locator(`#${id}`).selectOption(value);
      const rendered = await visible(page);
      check((await shown(page)) === count && (count > RENDERED ? rendered <= RENDERED : rendered === count), `${name}: ${id} ${value} shows ${count}`);
    }
    await page.locator(`#${id}`).selectOption("");
  }
  await page.locator("#bad").check();
  check((await visible(page)) === (await page.locator(".row[data-bad]").count()), `${name}: the filter for failures shows failures`);
  await page.locator("button[type=reset]").click();
  await page.waitForFunction((n) => document.getElementById("count").textContent.startsWith(`${n} of`), total);
  const chip = page.locator(".chip").first();
  await chip.click();
  check((await chip.getAttribute("aria-pressed")) === "true" && page.url().includes("#?verdict="), `${name}: clicking a count filters by its verdict`);
  await page.keyboard.press("Escape");
  check((await shown(page)) === total, `${name}: Escape clears the filters`);
};

// The size of the page and the number of its elements, before anything is opened.
const isSmall = async (page, name, path) => {
  const bytes = statSync(path).size;
  const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
  check(bytes <= BYTES, `${name}: the page has ${bytes} bytes`);
  check(nodes <= NODES, `${name}: the page has ${nodes} elements`);
  const title = await page.title();
  check(/^[a-z ]+: .*, assay \d+\.\d+\.\d+, seed \d+$/.test(title), `${name}: the title is ${title}`);
  console.log(`${name}: ${bytes} bytes, ${nodes} elements, ${title.slice(0, 60)}`);
};

const isAccessible = async (page, name) => {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  for (const { id, nodes } of violations) check(false, `${name}: ${id}: ${nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; ")}`);
  check(true, name);
};

const printsWell = async (page, name) => {
  await page.emulateMedia({ media: "print" });
  check(!(await page.locator("header.top").isVisible()) && (await page.locator("#overview").isVisible()), `${name}: on paper there are no controls`);
  await page.emulateMedia({ media: "screen" });
};

const worksByKeyboard = async (page, name) => {
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("/");
  check((await page.evaluate(() => document.activeElement.id)) === "search", `${name}: / moves the focus to search`);
  await page.keyboard.type("upload");
  const found = await visible(page);
  const reached = new Set();
  for (let n = 0; n < 14; n++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.id || document.activeElement.tagName));
    if (reached.has("SUMMARY")) {
      await page.keyboard.press("Tab");
      break;
    }
  }
  for (const id of ["verdict", "service", "evidence", "level", "bad", "pretty", "SUMMARY"]) check(reached.has(id), `${name}: Tab reaches ${id}`);
  check(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle !== "none"), `${name}: the focus is visible`);
  const isOpen = () => page.evaluate(() => document.activeElement.parentElement.open);
  await page.keyboard.press("Enter");
  check(await isOpen(), `${name}: Enter opens a row`);
  await page.keyboard.press("Space");
  check(!(await isOpen()), `${name}: Space closes it`);
  await page.keyboard.press("Escape");
  check(found > 0 && (await visible(page)) === 0 && (await page.locator("#search").inputValue()) === "", `${name}: Escape clears the search`);
};

// A cause leads to its exchange, which has its own address.
const opensAnExchange = async (page, name) => {
  const link = page.locator(".cause dl a").first();
  const address = (await link.getAttribute("href")).slice(1);
  await link.click();
  const exchange = page.locator(`[id="${address}"]`);
  await exchange.waitFor();
  check(await exchange.evaluate((element) => element.open), `${name}: the link of a cause opens ${address}`);
  const { y } = await exchange.boundingBox();
  check(y >= 0 && y < 800, `${name}: the link of a cause scrolls to its exchange, at ${y}`);
  await page.locator("#search").fill("");
  await page.locator("#bad").check();
  for (const summary of await page.locator(".row > summary").all()) {
    await summary.click();
    if (await page.locator("pre[data-json]").count()) break;
  }
  const row = page.locator(".row:has(pre[data-json])").first();
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
  await page.keyboard.press("Escape");
  // Where an exchange is not shown in full, the link leads to the list that has its line.
  for (const each of await page.locator(".cause dl a").all()) {
    const linked = (await each.getAttribute("href")).slice(1);
    await each.click();
    // A row is filled after it has opened.
    const isShown = await page
      .waitForFunction((address) => {
        const row = document.getElementById(address.split("/")[0]);
        const place = document.getElementById(address) ?? row?.querySelector("pre.head");
        return Boolean(row?.open && place?.checkVisibility());
      }, linked, { timeout: 10_000 })
      .then(() => true, () => false);
    check(isShown, `${name}: the link of a cause leads to ${linked}`);
  }
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
  const late = page.locator("[data-late=machines]");
  if (await late.count()) {
    await late.locator("> summary").click();
    await page.locator(".machine svg").first().waitFor();
  }
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
  const { context, page } = await open(url, { viewport: { width: 390, height: 844 } });
  await isAccessible(page, `${name}: at 390 pixels`);
  await picture(page, `${name}-phone`);
  const counts = await page.evaluate(() => document.querySelector(".counts tbody td:nth-child(3)")?.getBoundingClientRect().right ?? 0);
  check(counts <= 390, `${name}: on a phone, the first counts are in view, up to ${counts}`);
  await page.emulateMedia({ colorScheme: "dark" });
  await picture(page, `${name}-phone-dark`);
  await page.emulateMedia({ colorScheme: "light" });
  await page.locator("#search").fill("upload");
  await page.evaluate(() => document.querySelectorAll(".row:nth-child(3n), [data-late]").forEach((one) => (one.open = true)));
  await page.waitForFunction(() => document.querySelector(".row .inside"));
  await page.evaluate(() => document.querySelectorAll(".row details").forEach((one) => (one.open = true)));
  const [wide, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  check(wide <= room, `${name}: on a phone, the page is ${wide} pixels wide in a window of ${room}`);
  await isAccessible(page, `${name}: at 390 pixels, unfolded`);
  await context.close();
};

const readsWithoutScript = async (url, name) => {
  const { context, page } = await open(url, { javaScriptEnabled: false });
  check(!(await page.locator("#filters").isVisible()), `${name}: without scripts the filters are hidden`);
  check(await page.locator(".verdict .big").isVisible(), `${name}: without scripts the result is shown`);
  check(await page.locator("#causes").isVisible(), `${name}: without scripts the causes are shown`);
  check(await page.locator("noscript p").isVisible(), `${name}: without scripts the page says what is missing`);
  await context.close();
};

const goesToARow = async (url, name) => {
  const { context, page } = await open(url);
  const id = await page.evaluate(() => JSON.parse(document.getElementById("data").textContent).rows.at(60)?.id ?? "");
  await page.goto(`${url}#${id}`);
  await page.reload();
  const row = page.locator(`[id="${id}"]`);
  check(await row.evaluate((element) => element.open), `${name}: a link to ${pictured(id)} opens its row`);
  const isInView = (id) => {
    const { y } = document.getElementById(id).getBoundingClientRect();
    return y >= 0 && y < 700;
  };
  // The browser scrolls once it has laid out the page.
  await page.waitForFunction(isInView, id, { timeout: 10000 }).catch(() => {});
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
  check(count > 0 && (await page.locator(".cause").count()) > 0, "hostile: there are failures, and causes");
  const kinds = await page.evaluate(() => ["fail", "inconclusive"].map((kind) => {
    const chip = Object.assign(document.createElement("span"), { className: `v ${kind}` });
    document.querySelector("main").append(chip);
    const { outlineStyle, backgroundColor } = getComputedStyle(chip);
    chip.remove();
    return `${outlineStyle} ${backgroundColor}`;
  }));
  check(kinds[0] !== kinds[1], `hostile: fail and inconclusive look the same: ${kinds}`);
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
  check(acted.join() === "0,2,0,0", `hostile: markup became elements: ${acted}`);
  check((await page.title()) === title && title.startsWith("does not conform: "), `hostile: the title is ${title}`);
  const text = await bad.first().textContent();
  check(text.includes("</script>") && text.includes("<img"), "hostile: markup is shown as text");
  check(!/[\u202a-\u202e\u2066-\u2069\0]/.test(await page.evaluate(() => document.body.textContent)), "hostile: no control character reverses the text");
  await bad.first().scrollIntoViewIfNeeded();
  await bad.first().evaluate((row) => row.scrollIntoView());
  await picture(page, "failing-row");
  await context.close();
};

// The page of `assay history`: it has no rows to open, and needs no script but for its search.
const readsHistory = async (url, name) => {
  const { context, page } = await open(url);
  await isAccessible(page, `${name}: at 1280 pixels`);
  await showsThemes(page, name);
  const total = await page.locator(".tracks tbody tr").count();
  check(total > 0 && (await shown(page)) === total, `${name}: every check counts at first`);
  await page.keyboard.press("/");
  await page.keyboard.type("drop.");
  const found = await page.locator(".tracks tbody tr:visible").count();
  check(found > 0 && found < total && found === (await shown(page)), `${name}: search shows ${found} of ${total}`);
  await page.keyboard.press("Escape");
  check((await shown(page)) === total, `${name}: Escape clears the search`);
  await context.close();
  const phone = await open(url, { viewport: { width: 390, height: 844 } });
  await picture(phone.page, `${name}-phone`);
  await phone.page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
  const [wide, room] = await phone.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  check(wide <= room, `${name}: on a phone, the page is ${wide} pixels wide in a window of ${room}`);
  await isAccessible(phone.page, `${name}: at 390 pixels, unfolded`);
  await phone.context.close();
  const plain = await open(url, { javaScriptEnabled: false });
  check(!(await plain.page.locator("#filters").isVisible()) && (await plain.page.locator(".strip").count()) === total, `${name}: without scripts every check is there`);
  await plain.context.close();
};

try {
  if (history) await readsHistory(history, "history");
  for (const [name, url] of Object.entries({ whole, failing, hostile })) {
    const { context, page } = await open(url);
    await isSmall(page, name, new URL(url));
    await isAccessible(page, `${name}: at 1280 pixels`);
    await showsThemes(page, name);
    await printsWell(page, name);
    await worksFilters(page, name);
    await worksByKeyboard(page, name);
    if (name !== "whole") await opensAnExchange(page, name);
    await drawsMachines(page, name);
    await context.close();
    await fitsAPhone(url, name);
    await readsWithoutScript(url, name);
    await goesToARow(url, name);
  }
  await neverActs(hostile);
} finally {
  clean();
}
end("the reports");
