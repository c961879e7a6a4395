/** A reporter that writes one line of JSON with the reason for every skipped test. The runner adds them up. */
import type { TestEvent } from "node:test/reporters";

export default async function* countSkips(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:pass" || data.skip === undefined || data.skip === false) continue;
    yield `${JSON.stringify(data.skip === true ? "no reason given" : data.skip)}\n`;
  }
}
