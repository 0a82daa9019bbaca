// The servers that flows look at. Each is started with what it needs in a folder
// of its own, and says where it is.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

// samples serves the sample pages.
export async function samples(program) {
  const child = spawn(resolve(program), [], { stdio: ["ignore", "pipe", "inherit"] });
  const [base] = await once(createInterface({ input: child.stdout }), "line");
  return { base, stop: () => child.kill() };
}

// demo is `intervals-mcp serve --demo`, as `make run` starts it.
export async function demo(program, addr = "127.0.0.1:0", ...args) {
  const at = await place();
  const ready = await at.start(program, ["serve", "--demo", "--addr", addr, ...args]);
  return { base: new URL(ready.url).origin, key: "demo-key-1", stop: at.stop };
}

// embedded is `intervals-mcp serve` with a key and a data folder, in front of a
// fake Intervals.icu in a process of its own. The operator's commands work on it.
export async function embedded(program) {
  const at = await place();
  const upstream = await at.start(program, ["fake", "--addr", "127.0.0.1:0"]);
  const env = { API_KEY: upstream.athletes[0].api_key, INTERVALS_API_BASE_URL: upstream.url };
  const data = join(at.folder, "data");
  const ready = await at.start(program, ["serve", "--addr", "127.0.0.1:0", "--data", data], env);
  const base = new URL(ready.url).origin;
  return {
    base, key: upstream.athletes[0].api_key, athletes: upstream.athletes, stop: at.stop,
    // invite gives the link of a new invitation.
    invite: (...args) => execFileSync(resolve(program), ["users", "invite", ...args, "--url", base, "--data", data], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).match(/https?:\S+\/invite\/\S+/)[0],
  };
}

// place is a folder with the processes that belong to it.
async function place() {
  const folder = await mkdtemp(join(tmpdir(), "browser-"));
  const children = [];
  process.on("exit", () => children.forEach((child) => child.kill())); // also when a flow breaks the run
  return {
    folder,
    async start(program, args, env = {}) {
      const file = join(folder, `ready-${children.length}.json`);
      const child = spawn(resolve(program), [...args, "--ready-file", file], { stdio: ["ignore", "ignore", "ignore"], env: { PATH: process.env.PATH, HOME: folder, LOG_LEVEL: "error", ...env } });
      children.push(child);
      for (let i = 0; i < 600 && child.exitCode === null; i++) {
        const text = await readFile(file, "utf8").catch(() => "");
        if (text) return JSON.parse(text);
        await new Promise((done) => setTimeout(done, 50));
      }
      throw new Error(`${program} ${args[0]} does not get ready (exit status ${child.exitCode})`);
    },
    async stop() {
      for (const child of children) child.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
