/**
 * A process that plays a ClickHouse server for tests, with chdb. Arguments: an empty directory, a password and
 * optionally a port. It reports its port to its parent or on standard output, answers its
 * parent's messages with what it uses, and ends with its parent.
 */
import { findChdb } from "../platform.ts";
import { listen } from "./listen.ts";

export interface Ready {
  readonly port: number;
}

export interface Usage {
  readonly bytes: number;
  readonly cpuSeconds: number;
}

const [dir = "", password = "", port = "0"] = process.argv.slice(2);
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
const chdb =
  findChdb() === "native"
    ? await (await import("./open-native.ts")).openNative(dir)
    : await (await import("./open-wasm.ts")).openWasm();
const ready: Ready = { port: await listen(chdb, { username: "sextant", password }, Number(port)) };
if (process.send === undefined) console.log(JSON.stringify(ready));
else process.send(ready);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ bytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 } satisfies Usage);
});
