// Every sample page: in each view, at 320 px, without script, by keyboard.
import { skips, walk } from "../keyboard.mjs";

export async function run(harness, { only }) {
  const names = (await (await fetch(`${harness.base}/samples.json`)).json()).filter((n) => !only || only.test(n));
  const views = ["phone-light", "phone-dark", "desktop-light", "desktop-dark", "narrow", "no-script"];
  await Promise.all([0, 1].map(async () => {
    for (let view = views.shift(); view; view = views.shift()) await look(harness, view, names.filter((n) => wanted(n, view)));
  }));
  return names.length;
}

// Error pages differ by their sentences only, and what is hostile does not
// depend on colours: some views are enough for these.
function wanted(name, view) {
  if (name.startsWith("failure-") && name !== "failure-bad-return") return view === "phone-light";
  return !(name.startsWith("hostile-") && view.endsWith("dark"));
}

async function look(harness, view, names) {
  const visitor = await harness.visitor(view, view === "desktop-light" ? { permissions: ["clipboard-write"] } : {});
  for (const name of names) {
    await visitor.go(`/sample/${name}`);
    await visitor.inspect({ axe: !["no-script", "desktop-dark"].includes(view) });
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
