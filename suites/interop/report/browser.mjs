// Pages in a real browser: windows, checks and their findings.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

// The script of axe, which finds what some readers cannot use.
export const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const findings = [];
let checks = 0;
export const find = (what) => findings.push(what);
export const check = (holds, what) => {
  checks++;
  if (!holds) find(what);
};

const work = mkdtempSync(join(tmpdir(), "assay-browser-"));
let windows = 0;

// Opens a new window with an empty profile folder. Every script error and dialog is a finding, every console message that `expects` does
// not take, and every request that `allows` does not take.
export const open = async (url, { allows, expects = () => false, ...options }) => {
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
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !expects(message.text()) && find(`console: ${message.text()}`));
  page.on("pageerror", (error) => find(`script: ${error}`));
  page.on("dialog", (dialog) => find(`dialog: ${dialog.message()}`));
  page.on("request", (request) => allows(request.url()) || find(`request for ${request.url()}`));
  await page.goto(url);
  return { context, page };
};

// Takes screenshots into a folder, if there is one.
export const camera = (folder) => {
  if (folder) mkdirSync(folder, { recursive: true });
  return async (page, name, options = {}) => folder && (await page.screenshot({ path: join(folder, `${name}.png`), ...options }));
};

export const clean = () => rmSync(work, { recursive: true, force: true, maxRetries: 5 });

// Prints the findings and ends the process; `what` was checked.
export const end = (what) => {
  clean();
  for (const finding of findings) console.error(`found: ${finding}`);
  console.log(`${checks} checks of ${what} in a browser, ${findings.length} findings`);
  process.exit(findings.length ? 1 : 0);
};
