#!/usr/bin/env node
// Runs the CLI on the Node 24 that npm installed beside it, whatever Node started this file.
// Plain JavaScript without modern syntax: it must load on older Nodes to hand over.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const isInstalled = /[\\/]node_modules[\\/]/.test(main);
const node = findNode();
// Node's four threads for collecting garbage crowd two cores: with one the slowest 1 % of answers at half load took 32 ms instead of 55.
// Room for new objects grows to 64 MB twice in each thread; with 8 the service takes 120 MB less under full load and 12 MB less when idle than with 16, and stores as many events.
const options = ["--v8-pool-size=1", "--max-semi-space-size=8"];
// How glibc gives memory back, as in the engine's process (supervisor.ts). By itself it keeps what each thread freed, and puts large buffers among small ones: under full load after single events the service alone took 392 to 417 MB instead of 440 to 462. Other C libraries ignore it, and who starts the command may say otherwise.
const malloc = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "1048576", MALLOC_TRIM_THRESHOLD_: "33554432" };
// The hook's use of Node's own types remover is called experimental; the warning would be the first line of every command.
if (isInstalled)
  options.push(`--import=${new URL("./types.js", import.meta.url)}`, "--disable-warning=ExperimentalWarning");
const env = Object.assign({}, malloc, process.env);
const child = spawn(node, options.concat(main, process.argv.slice(2)), { env, stdio: "inherit" });
// A terminal sends SIGINT to both of us; passed on, it would be the second one, which means "now" to the service.
process.on("SIGINT", () => undefined);
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (cause) => {
  console.error(`sextant: cannot start Node 24: ${cause.message}`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  process.exitCode = code === null ? 128 + (constants.signals[signal] || 1) : code;
});

function findNode() {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  const require = createRequire(import.meta.url);
  const bundled = join(dirname(require.resolve("node/package.json")), "bin/node");
  if (existsSync(bundled)) return bundled;
  // The package `node` fetches the program in an install script, which npm may have been told not to run.
  console.error("sextant: needs Node 24. The one that npm installs is missing: run npm rebuild node");
  process.exit(1);
}
