// Two ways to use a page: by click, and with the keyboard alone. Both find what
// they use by what a person reads there.

export const clicking = {
  name: "click",
  press: (target) => target.click(),
  open: (summary) => summary.click(),
  choose: (target) => target.check(),
  write: (target, text) => target.fill(text),
  pick: (target, label) => target.selectOption({ label }),
};

export const typing = {
  name: "keyboard",
  // press uses what leads to another page.
  async press(target) {
    const page = target.page();
    await reach(target);
    const went = Promise.race([page.waitForEvent("framenavigated"), page.waitForEvent("download")]);
    await page.keyboard.press("Enter");
    await went;
  },
  async open(summary) {
    await reach(summary);
    await summary.page().keyboard.press("Enter");
  },
  // choose ticks a box, or goes to a radio button as people do: Tab leads to its
  // group, arrows within.
  async choose(target) {
    const page = target.page();
    const chosen = () => target.evaluate((e) => e.checked);
    if (await target.evaluate((e) => e.type === "radio")) {
      await reach(target, (e) => document.activeElement.name === e.name && document.activeElement.type === "radio");
      for (let i = 0; i < 10 && !(await chosen()); i++) await page.keyboard.press("ArrowDown");
    } else {
      await reach(target);
      if (!(await chosen())) await page.keyboard.press("Space");
    }
    if (!(await chosen())) throw new Error("the keyboard does not choose it");
  },
  async write(target, text) {
    await reach(target);
    await target.page().keyboard.press("Control+A");
    await target.page().keyboard.type(text);
  },
  async pick(target, label) {
    await reach(target);
    await target.page().keyboard.type(label.slice(0, 2));
  },
};

// reach presses Tab until the target has the focus.
async function reach(target, there = (e) => document.activeElement === e) {
  await target.waitFor({ state: "attached" });
  for (let i = 0; i < 150; i++) {
    if (await target.evaluate(there)) return;
    await target.page().keyboard.press("Tab");
  }
  throw new Error("Tab does not lead to it");
}
