/**
 * A process that plays a ClickHouse server for tests, with chdb. Arguments: an empty directory, a password and
 * optionally a port. It reports its port to its parent or on standard output, and ends with its parent.
 */
import { listen } from "./listen.ts";
import { openChdb } from "./open-chdb.ts";

export interface Ready {
  readonly port: number;
}

const [dir = "", password = "", port = "0"] = process.argv.slice(2);
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
const ready: Ready = { port: await listen(await openChdb(dir), { username: "sextant", password }, Number(port)) };
if (process.send === undefined) console.log(JSON.stringify(ready));
else process.send(ready);
