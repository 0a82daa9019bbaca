// Runs the flows in a real browser:
//
//   node run.mjs NPM OUT SAMPLES-PROGRAM PROGRAM [--only REGEXP]
//
// A flow is a file in flows/ with run(harness, {only, server}) -> number of
// pages. It opens visitors (browser.mjs) on the server it is listed with, and
// says what it expects; a fault is noted and fails the run at its end.
import { resolve } from "node:path";
import { open } from "./browser.mjs";
import * as servers from "./servers.mjs";
import * as coach from "./flows/coach.mjs";
import * as consent from "./flows/consent.mjs";
import * as journey from "./flows/journey.mjs";
import * as samples from "./flows/samples.mjs";

const [npm, out, samplePages, program, ...rest] = process.argv.slice(2);
if (!program) {
  console.error("usage: node run.mjs NPM OUT SAMPLES-PROGRAM PROGRAM [--only REGEXP]");
  process.exit(2);
}
const only = rest[0] === "--only" ? new RegExp(rest[1]) : undefined;

// ONLY picks flows by name, or sample pages by theirs.
const flows = [
  { name: "journey-demo", flow: journey.onDemo, start: () => servers.demo(program) },
  { name: "journey-key", flow: journey.withKey, start: () => servers.embedded(program) },
  { name: "coach", flow: coach, start: () => servers.embedded(program) },
  { name: "consent", flow: consent, start: () => servers.samples(samplePages) },
  { name: "samples", flow: samples, start: () => servers.samples(samplePages) },
];
const named = flows.filter((f) => only?.test(f.name));

async function one({ name, flow, start }) {
  const server = await start();
  const started = Date.now();
  try {
    const harness = await open({ npm: resolve(npm), out: resolve(out, name), executable: process.env.CHROMIUM || "chromium", base: server.base });
    try {
      const pages = await flow.run(harness, { only: named.length ? undefined : only, server });
      harness.expect(name, pages > 0, "no page was looked at");
    } catch (e) {
      harness.fault(name, e.stack);
    } finally {
      await harness.close();
    }
    console.log(`${name}: ${harness.checks} checks, ${harness.faults.length} faults, ${Math.round((Date.now() - started) / 1000)} s; pictures in ${out}/${name}`);
    return harness.faults.length;
  } finally {
    await server.stop();
  }
}

// Two at a time: each waits for its browser, and its browser for it.
let faults = 0;
const left = named.length ? named : only ? flows.filter((f) => f.name === "samples") : flows;
await Promise.all([0, 1].map(async () => {
  for (let f = left.shift(); f; f = left.shift()) faults += await one(f);
}));
process.exit(faults ? 1 : 0);
