// Every sample page. The journeys walk the real server's pages on a phone in
// light and on a desktop in dark, so here each view proves one thing more:
// "desktop-light" every rule, keyboard, paper; "phone-dark" the colours;
// "narrow" what is hostile and what has failed; "no-script" the pages with script.
import { skips, walk } from "../keyboard.mjs";

const wanted = {
  "desktop-light": (n) => ordinary(n),
  "phone-dark": (n) => ordinary(n),
  narrow: () => true,
  "no-script": (n) => /^(landing|tokens)/.test(n),
};
const ordinary = (n) => !n.startsWith("hostile-") && (!n.startsWith("failure-") || n === "failure-bad-return");

export async function run(harness, { only }) {
  const names = (await (await fetch(`${harness.base}/samples.json`)).json()).filter((n) => !only || only.test(n));
  const views = Object.keys(wanted);
  await Promise.all([0, 1].map(async () => {
    for (let view = views.shift(); view; view = views.shift()) await look(harness, view, names.filter(wanted[view]));
  }));
  return names.length;
}

async function look(harness, view, names) {
  const visitor = await harness.visitor(view, view === "desktop-light" ? { permissions: ["clipboard-write"] } : {});
  for (const name of names) {
    await visitor.go(`/sample/${name}`);
    await visitor.inspect({ axe: view === "phone-dark" ? ["color-contrast", "link-in-text-block", "target-size"] : view === "desktop-light" || view === "narrow" && !ordinary(name) });
    await visitor.shot(name);
    if (view === "desktop-light") {
      await visitor.prints();
      await skips(visitor);
      await visitor.go(`/sample/${name}`);
    }
    if (view === "desktop-light" || view === "no-script") await walk(visitor);
  }
  await visitor.close();
}
