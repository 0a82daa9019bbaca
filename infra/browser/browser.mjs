// A real browser and what every page is held to. Flows (flows/*.mjs) open pages
// with it; each fault is noted, and the run goes on to find the next.
import { createRequire } from "node:module";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export const MAX_PAGE = 60 * 1024; // with all it loads

// Views are the ways in which a page is looked at.
export const VIEWS = {
  "phone-light": { viewport: { width: 390, height: 844 }, colorScheme: "light", hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  "phone-dark": { viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  "desktop-light": { viewport: { width: 1280, height: 900 }, colorScheme: "light" },
  "desktop-dark": { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  narrow: { viewport: { width: 320, height: 640 }, colorScheme: "light" },
  "no-script": { viewport: { width: 1280, height: 900 }, colorScheme: "light", javaScriptEnabled: false },
};

// open starts chromium. npm is the folder with node_modules, out the folder for
// pictures.
export async function open({ npm, out, executable, base }) {
  const require = createRequire(join(npm, "node_modules", "x"));
  const { chromium } = require("playwright-core");
  const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  await mkdir(out, { recursive: true });
  // Containers have no user namespaces for chromium's own sandbox.
  const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"] });
  return new Harness(browser, axe, out, base);
}

class Harness {
  constructor(browser, axe, out, base) {
    Object.assign(this, { browser, axe, out, base, faults: [], checks: 0 });
  }

  fault(where, what) {
    this.faults.push(`${where}: ${what}`);
    console.log(`FAULT ${where}: ${what}`);
  }

  // expect notes a fault unless it is true; flows use it for their own claims.
  expect(where, is, what) {
    this.checks++;
    if (!is) this.fault(where, what);
    return is;
  }

  // visitor is a person with a browser of their own: cookies, a view. What the
  // page logs, loads or throws is watched from the start; quiet where a page is
  // expected to complain.
  async visitor(view, { quiet = false, ...options } = {}) {
    const context = await this.browser.newContext({ baseURL: this.base, ...VIEWS[view], ...options });
    context.setDefaultTimeout(10_000);
    const page = await context.newPage();
    const v = new Visitor(this, view, context, page);
    if (!quiet) v.watch();
    return v;
  }

  async close() {
    await this.browser.close();
  }
}

class Visitor {
  constructor(harness, view, context, page) {
    Object.assign(this, { harness, view, context, page, where: view, bytes: 0, pending: [], allowed: new Set([new URL(harness.base).origin]) });
  }

  watch() {
    const { page } = this;
    page.on("console", (m) => {
      // A page with an error status is logged as a resource that failed.
      if (m.type() === "error" && m.text().startsWith("Failed to load resource") && m.location().url === page.url()) return;
      if (["error", "warning"].includes(m.type())) this.harness.fault(this.where, `console: ${m.text()}`);
    });
    page.on("pageerror", (e) => this.harness.fault(this.where, `script error: ${e}`));
    page.on("dialog", (d) => { this.harness.fault(this.where, `a dialog opened: ${d.message()}`); d.dismiss(); });
    page.on("request", (r) => {
      if (r.isNavigationRequest() && r.frame() === page.mainFrame()) Object.assign(this, { bytes: 0, pending: [] });
      if (!this.allowed.has(new URL(r.url()).origin)) this.harness.fault(this.where, `asks a third party: ${r.url()}`);
    });
    page.on("response", (r) => this.pending.push(r.body().then((b) => { this.bytes += b.length; }, () => {})));
  }

  // go opens an address and waits for all that it loads.
  async go(path) {
    this.where = `${path} [${this.view}]`;
    this.bytes = 0;
    this.pending = [];
    const response = await this.page.goto(path, { waitUntil: "load" });
    await Promise.all(this.pending);
    return response;
  }

  // inspect holds the page that is open to what every page must be. axe names
  // the rules to check, where not all.
  async inspect({ axe = true } = {}) {
    const { harness, page, where } = this;
    await Promise.all(this.pending);
    harness.expect(where, this.bytes <= MAX_PAGE, `weighs ${this.bytes} bytes, at most ${MAX_PAGE} are allowed`);
    const wide = await page.evaluate(() => {
      const limit = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth <= limit) return [];
      return [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > limit + 1).slice(0, 3).map((e) => e.outerHTML.slice(0, 120));
    });
    harness.expect(where, wide.length === 0, `scrolls sideways: ${wide.join(" | ")}`);
    harness.expect(where, !(await page.evaluate(() => document.querySelector("[style], style, script:not([src]), [onclick], [onerror], [onload]"))), "holds inline style or script");
    if (axe) await this.accessible(axe);
  }

  // accessible asks axe-core; every rule it has for WCAG 2.2 AA and good practice.
  async accessible(rules) {
    const { harness, page, where } = this;
    await page.evaluate(harness.axe);
    const result = await page.evaluate((runOnly) => axe.run(document, { runOnly, resultTypes: ["violations", "passes"] }), // eslint-disable-line no-undef
      Array.isArray(rules) ? rules : ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]);
    harness.expect(where, result.passes.length > (Array.isArray(rules) ? 0 : 10), `axe-core looked at hardly anything: ${result.passes.length} rules`);
    for (const v of result.violations) {
      harness.fault(where, `axe ${v.id} (${v.impact}): ${v.nodes.slice(0, 2).map((n) => `${n.html.slice(0, 140)} ${n.any.map((a) => a.message).join("; ").slice(0, 160)}`).join(" | ")}`);
    }
  }

  // prints holds the page to what paper needs: what is folded away is open.
  async prints() {
    await this.page.emulateMedia({ media: "print" });
    const folded = await this.page.evaluate(() => [...document.querySelectorAll("details")].filter((d) => d.lastElementChild.getBoundingClientRect().height === 0).length);
    this.harness.expect(this.where, folded === 0, `${folded} folded parts are lost in print`);
    await this.page.emulateMedia({ media: "screen" });
  }

  async shot(name) {
    await this.page.screenshot({ path: join(this.harness.out, `${name}--${this.view}.png`), fullPage: true, animations: "disabled" });
  }

  async close() {
    await this.context.close();
  }
}
