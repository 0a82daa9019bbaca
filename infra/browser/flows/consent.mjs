// A consent page answered by click, by keyboard and without script: the browser
// must follow to the address that the page names, and to no other; a client that
// opened it in a popup must keep its tie to it.

export async function run(harness) {
  for (const view of ["phone-light", "desktop-light", "no-script"]) {
    const visitor = await harness.visitor(view);
    const client = new URL((await visitor.context.request.get("/client")).url()).origin;
    visitor.allowed.add(client);
    await byClick(harness, visitor);
    await byKeyboard(harness, visitor);
    await popup(harness, visitor, client);
    await visitor.close();
  }
  await foreign(harness);
  return 4;
}

async function byClick(harness, visitor) {
  const { page } = visitor;
  await visitor.go("/consent/announced");
  await page.getByLabel("Read and write", { exact: true }).check();
  await page.getByLabel("Always here, by me").check();
  await page.getByRole("button", { name: "Connect" }).click();
  await page.waitForURL(/\/callback/);
  harness.expect(visitor.where, page.url().endsWith("?decision=connect&scope=write"), `a click on Connect leads to ${page.url()}`);
  await visitor.go("/consent/announced");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForURL(/\/callback/);
  harness.expect(visitor.where, page.url().includes("?decision=cancel&"), `a click on Cancel leads to ${page.url()}`);
}

async function byKeyboard(harness, visitor) {
  const { page } = visitor;
  await visitor.go("/consent/announced");
  const at = () => page.evaluate(() => document.activeElement.value ?? "");
  const tabTo = async (value) => { for (let i = 0; i < 30 && (await at()) !== value; i++) await page.keyboard.press("Tab"); };
  await tabTo("read");
  await page.keyboard.press("ArrowDown");
  await tabTo("connect");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/callback/);
  harness.expect(visitor.where, page.url().endsWith("?decision=connect&scope=write"), `the keyboard leads to ${page.url()}`);
}

async function popup(harness, visitor, client) {
  const { page, context } = visitor;
  await page.goto(`${client}/start`);
  const opened = context.waitForEvent("page");
  await page.locator("#popup").click();
  const consent = await opened;
  await consent.getByRole("button", { name: "Connect" }).click();
  await consent.waitForURL(/\/callback/);
  harness.expect(visitor.where, await consent.evaluate(() => window.opener !== null), "the client's callback has lost its opener");
  await consent.close();
}

// foreign: the page names claude.ai, and the answer leads elsewhere all the same.
async function foreign(harness) {
  const visitor = await harness.visitor("desktop-light", { quiet: true });
  const { page } = visitor;
  await visitor.go("/consent/foreign");
  const refused = page.waitForEvent("console", (m) => m.text().includes("form-action"));
  await page.getByRole("button", { name: "Connect" }).click();
  harness.expect(visitor.where, await refused.then(() => true, () => false), "nothing speaks of form-action");
  harness.expect(visitor.where, !page.url().includes("/callback"), `the browser was led to ${page.url()}`);
  await visitor.close();
}
