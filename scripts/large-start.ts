/**
 * `npm run large-start -- [MB of log] [pending deliveries]` starts a service on them, by default 1,000 and 1,000,000.
 * A long test starts on 50 and 100,000.
 */
import { assertLargeStart, startOnLargeData } from "../test/reliability/large-start.ts";

const [logMb = 1_000, deliveries = 1_000_000] = process.argv.slice(2).map(Number);
const say = (line: string) => process.stdout.write(`${line}\n`);
const result = await startOnLargeData({ logMb, deliveries, withinMs: 3_600_000, say });
say(JSON.stringify(result));
assertLargeStart(result);
