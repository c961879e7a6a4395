/**
 * A process that plays a ClickHouse server for tests, by chdb. Arguments: an empty directory, a password and, when it must be a certain one, a
 * port. Says its port, to its parent or on standard output, and stays; it ends with its parent, so nobody has to find it.
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
