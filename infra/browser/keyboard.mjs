// Walks a page with the keyboard alone: Tab must reach every control in the
// order of the page, show where it is, and Enter, Space or an arrow must do
// what a click does.

// controls lists, in the order of the page, what Tab must reach: of a group of
// radio buttons only the chosen one. Runs in the page.
function controls() {
  const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
    .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled);
  const groups = new Set();
  return all.filter((e) => {
    if (e.type !== "radio") return true;
    const chosen = all.find((o) => o.type === "radio" && o.name === e.name && o.form === e.form && o.checked) ?? e;
    if (groups.has(e.name)) return false;
    if (chosen !== e) return false;
    groups.add(e.name);
    return true;
  });
}

// describe says what has the focus, and whether that can be seen. Runs in the page.
function describe() {
  const e = document.activeElement;
  if (!e || e === document.body || e === document.documentElement) return null;
  const shown = (x) => { const s = getComputedStyle(x); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2; };
  const box = e.getBoundingClientRect();
  globalThis.met.push(e);
  return {
    tag: e.tagName.toLowerCase(), type: e.type ?? "",
    text: (e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent || "").replace(/\s+/g, " ").trim().slice(0, 60),
    seen: shown(e) || (e.closest(".option") ? shown(e.closest(".option")) : false),
    inView: box.bottom > 0 && box.top < innerHeight && box.width > 0 && box.height > 0,
    opens: e.target === "_blank", href: e.href ?? "",
    form: e.form ? new URL(e.form.getAttribute("action") || location.href, location.href).pathname : "",
    copies: "copy" in e.dataset,
  };
}

// walk goes through the page that a visitor has open, and uses each control.
// Requests that this sets off are noted and not answered: the page stays.
export async function walk(visitor) {
  const { page, harness, context, where } = visitor;
  const sent = [];
  const over = (r) => { const s = sent.find((x) => x.request === r); if (s) s.over = true; };
  context.on("requestfinished", over);
  context.on("requestfailed", over);
  await context.route("**/*", (route) => {
    const r = route.request();
    if (!r.isNavigationRequest()) return route.continue();
    sent.push({ request: r, method: r.method(), url: r.url(), body: r.postData() ?? "" });
    return route.fulfill({ status: 204 });
  });
  const closing = [];
  context.on("page", (p) => closing.push(p));
  const expect = () => page.evaluate(`(globalThis.order = (${controls})()).length`);
  await page.evaluate("globalThis.met = []");
  let count = await expect();
  for (let i = 0; i < count; i++) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(describe);
    if (!at) { harness.fault(where, `Tab ${i + 1} of ${count} leaves the page`); break; }
    harness.expect(where, at.seen, `the focus is not seen on <${at.tag}> "${at.text}"`);
    harness.expect(where, at.inView, `the focus is outside the window on <${at.tag}> "${at.text}"`);
    await use(visitor, at, sent);
    // What was opened by its summary brings new controls: ask again.
    if (at.tag === "summary") count = await expect();
  }
  const strayed = await page.evaluate(() => {
    const { met, order } = globalThis;
    const i = order.findIndex((e, n) => e !== met[n]);
    return i < 0 && met.length === order.length ? "" : `control ${i + 1}: ${(met[i] ?? document.body).outerHTML.slice(0, 100)} for ${(order[i] ?? document.body).outerHTML.slice(0, 100)}`;
  });
  harness.expect(where, strayed === "", `Tab does not meet the controls in order: ${strayed}`);
  for (const p of closing) await p.close();
  await context.unroute("**/*");
  context.off("requestfinished", over);
  context.off("requestfailed", over);
  return sent.map(({ method, url, body }) => ({ method, url, body }));
}

// use does with the keyboard what the control is there for.
async function use({ page, harness, where }, at, sent) {
  const say = `<${at.tag} ${at.type}> "${at.text}"`;
  const state = (expression) => page.evaluate(`(() => { const e = document.activeElement; return ${expression}; })()`);
  const until = async (done) => { for (let i = 0; i < 250 && !done(); i++) await page.waitForTimeout(20); return done(); };
  if (at.tag === "summary") {
    const before = await state("e.parentElement.open");
    await page.keyboard.press("Enter");
    harness.expect(where, (await state("e.parentElement.open")) === !before, `Enter does not open ${say}`);
    if (before) await page.keyboard.press("Space");
  } else if (at.type === "checkbox") {
    const before = await state("e.checked");
    await page.keyboard.press("Space");
    harness.expect(where, (await state("e.checked")) === !before, `Space does not tick ${say}`);
    if (before) await page.keyboard.press("Space");
  } else if (at.type === "radio") {
    if ((await state("document.getElementsByName(e.name).length")) < 2) return;
    const before = await state("e.value");
    const last = await state("[...document.getElementsByName(e.name)].at(-1) === e");
    await page.keyboard.press(last ? "ArrowUp" : "ArrowDown");
    harness.expect(where, (await state("e.checked && e.value")) !== before, `an arrow does not choose beside ${say}`);
    await page.keyboard.press(last ? "ArrowDown" : "ArrowUp");
  } else if (at.tag === "select") {
    const before = await state("e.value");
    await page.keyboard.press((await state("e.selectedIndex === e.options.length - 1")) ? "ArrowUp" : "ArrowDown");
    harness.expect(where, (await state("e.value")) !== before, `an arrow does not choose in ${say}`);
  } else if (at.tag === "input") {
    await page.keyboard.type("delete");
    harness.expect(where, (await state("e.value")).endsWith("delete"), `${say} takes no text`);
  } else if (at.copies) {
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => /Copied|Selected/.test(document.activeElement.textContent)).catch(() => harness.fault(where, `Enter does not copy with ${say}`));
  } else {
    const before = sent.length;
    if (at.href.includes("#")) return; // the skip link moves the focus: skips()
    // Chromium drops a second navigation to an address that it was just refused.
    if (at.tag === "a" && sent.some((r) => r.method === "GET" && r.url === at.href)) return;
    await page.keyboard.press("Enter");
    const want = at.tag === "a" ? "GET" : "POST";
    const path = at.tag === "a" ? new URL(at.href).pathname : at.form;
    const went = () => sent.slice(before).some((r) => r.method === want && new URL(r.url).pathname === path);
    harness.expect(where, await until(went), `Enter does nothing on ${say}: no ${want} to ${path}, but ${sent.slice(before).map((r) => `${r.method} ${r.url}`)}`);
    await until(() => sent.every((r) => r.over));
  }
}

// skips checks that the first Tab leads to the link that skips to the content.
export async function skips({ page, harness, where }) {
  await page.keyboard.press("Tab");
  harness.expect(where, (await page.evaluate(() => document.activeElement.className)) === "skip", "the first Tab does not reach the skip link");
  await page.keyboard.press("Enter");
  harness.expect(where, (await page.evaluate(() => document.activeElement.id)) === "main", "the skip link does not lead to the content");
}
