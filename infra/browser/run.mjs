// Runs the flows in a real browser:
//
//   node run.mjs NPM OUT SAMPLES-PROGRAM [--only REGEXP]
//
// A flow is a file in flows/ with run(harness, options) -> number of pages. It
// opens visitors (browser.mjs) on the server it is listed with, and says what it
// expects; a fault is noted and fails the run at its end.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { resolve } from "node:path";
import { open } from "./browser.mjs";
import * as consent from "./flows/consent.mjs";
import * as samples from "./flows/samples.mjs";

const [npm, out, program, ...rest] = process.argv.slice(2);
if (!program) {
  console.error("usage: node run.mjs NPM OUT SAMPLES-PROGRAM [--only REGEXP]");
  process.exit(2);
}
const only = rest[0] === "--only" ? new RegExp(rest[1]) : undefined;

// A server is a command that prints its address as its first line.
const flows = [
  { name: "consent", flow: consent, server: [program] },
  { name: "samples", flow: samples, server: [program] },
];

async function start([command, ...args]) {
  const child = spawn(resolve(command), args, { stdio: ["ignore", "pipe", "inherit"] });
  const [base] = await once(createInterface({ input: child.stdout }), "line");
  return { base, stop: () => child.kill() };
}

let faults = 0;
for (const { name, flow, server } of flows) {
  const { base, stop } = await start(server);
  const started = Date.now();
  try {
    const harness = await open({ npm: resolve(npm), out: resolve(out, name), executable: process.env.CHROMIUM || "chromium", base });
    try {
      const pages = await flow.run(harness, { only });
      harness.expect(name, pages > 0, "no page was looked at");
    } finally {
      await harness.close();
    }
    faults += harness.faults.length;
    console.log(`${name}: ${harness.checks} checks, ${harness.faults.length} faults, ${Math.round((Date.now() - started) / 1000)} s; pictures in ${out}/${name}`);
  } finally {
    stop();
  }
}
process.exit(faults ? 1 : 0);
