import { test } from "node:test";
import { assertLargeStart, startOnLargeData } from "./large-start.ts";

test("a start on 20 MB of log and 50,000 pending deliveries is as fast as an empty one, and blocks no event loop", {
  timeout: 300_000,
}, async (t) => {
  const options = { logMb: 20, deliveries: 50_000, withinMs: 200_000, say: (line: string) => t.diagnostic(line) };
  const result = await startOnLargeData(options);
  t.diagnostic(JSON.stringify(result));
  assertLargeStart(result);
});
