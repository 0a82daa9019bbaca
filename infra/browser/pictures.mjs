// Makes the pictures of docs/connect:
//
//	node pictures.mjs NPM OUT SAMPLES-PROGRAM PROGRAM
//
// They are the real pages. Those that a program on this machine leads to come
// from the demo server, with its clock at a fixed time; those of a deployment,
// which Claude and ChatGPT in the web need, from the samples.
import { resolve } from "node:path";
import { open } from "./browser.mjs";
import { connectable } from "./client.mjs";
import * as servers from "./servers.mjs";

const [npm, out, samplePages, program] = process.argv.slice(2);
const size = { viewport: { width: 780, height: 700 }, deviceScaleFactor: 1.25, colorScheme: "light" };

async function withServer(server, take) {
  const harness = await open({ npm: resolve(npm), out: resolve(out), executable: process.env.CHROMIUM || "chromium", base: server.base });
  try {
    const visitor = await harness.visitor("desktop-light", size);
    // shot keeps the page, or what of it a selector finds.
    const shot = async (name, selector) => {
      const path = resolve(out, `${name}.png`);
      if (selector) await visitor.page.locator(selector).first().screenshot({ path, animations: "disabled" });
      else await visitor.page.screenshot({ path, fullPage: true, animations: "disabled" });
    };
    await take(visitor, shot, visitor.page);
    if (harness.faults.length) process.exitCode = 1;
  } finally {
    await harness.close();
    await server.stop();
  }
}

await withServer(await servers.samples(samplePages), async (visitor, shot) => {
  for (const name of ["signin-claude", "signin-chatgpt", "consent-claude", "consent-chatgpt"]) {
    await visitor.go(`/picture/${name}`);
    await shot(name, "main .card");
  }
  await visitor.go("/picture/landing");
  await shot("landing", ".hero");
  await visitor.go("/picture/connections");
  await shot("connections", "main");
});

await withServer(await servers.demo(program, "127.0.0.1:8765", "--now", "2026-07-15T12:30:00Z"), async (visitor, shot, page) => {
  const press = async (name) => { await page.getByRole("button", { name }).first().click(); await page.waitForLoadState(); };
  const client = await connectable(visitor.harness.base, "Claude Code", 8123);
  visitor.allowed.add(client.origin);
  await visitor.go(client.authorizeURL());
  await shot("signin", "main .card");
  await page.getByLabel(/API key/).fill("demo-key-1");
  await press("Continue");
  await shot("consent", "main .card");
  await page.getByLabel("Always here, by me").check();
  await press("Connect");
  await page.waitForURL(`${client.redirect}**`);
  await client.redeem(client.returned(page.url()).code);

  const { result } = await client.call("get_events", { start_date: "+1d", end_date: "+10d" });
  const session = result.events.find((e) => e.name === "Tempo run");
  const day = new Date(Date.parse(`${session.end_date}T12:00Z`) - 86_400_000).toISOString().slice(0, 10);
  const proposed = await client.call("add_or_update_event", { event_id: session.id, start_date: day });
  await visitor.go(proposed.result.approve_url);
  await shot("waiting", "main .card");
  await press(/^Approve/);
  await visitor.go("/account/history");
  await page.locator("summary").first().click();
  await shot("history", "main");
  await press(/^Undo/);
  await shot("undo", "main .card");

  await visitor.go("/account/tokens");
  await page.getByLabel("What is it for?").fill("Weekly report");
  await press("Make the token");
  await page.locator("#token").evaluate((e) => { e.textContent = `imcp_pat_${"0".repeat(43)}_${"0".repeat(6)}`; });
  await shot("token", "main .fresh");
  client.close();
});
