/** An engine that knows a cluster of two shards, both of them itself. Arguments: its directory and a password. Says its port and stays. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_LIMITS } from "../../src/engines/embedded/limits.ts";
import { openEngine } from "../../src/engines/embedded/open-engine.ts";
import { listen } from "../../src/engines/embedded/server.ts";

const [dir = "", password = ""] = process.argv.slice(2);
const SHARD = "<shard><replica><host>localhost</host><port>9000</port></replica></shard>";
/** A replica with the engine's own port is the engine itself. Nothing listens there. */
const CONFIG = `<clickhouse>
  <tcp_port>9000</tcp_port>
  <remote_servers><main>${SHARD}${SHARD}</main></remote_servers>
</clickhouse>
`;

mkdirSync(dir, { recursive: true });
const config = join(dir, "config.xml");
writeFileSync(config, CONFIG);
const engine = await openEngine(join(dir, "engine"), DEFAULT_LIMITS, [`--config-file=${config}`]);
const credentials = { username: "sextant", password };
const { port } = await listen({ ...engine, limits: DEFAULT_LIMITS, credentials }, 0);
console.log(`port ${port}`);
