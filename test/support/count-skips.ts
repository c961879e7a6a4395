/** A reporter that writes one line of JSON for every skipped test. The runner lists them by their reasons. */
import type { TestEvent } from "node:test/reporters";

export interface SkippedTest {
  readonly reason: string;
  readonly test: string;
}

export default async function* countSkips(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:pass" || data.skip === undefined || data.skip === false) continue;
    const reason = data.skip === true ? "no reason given" : data.skip;
    yield `${JSON.stringify({ reason, test: data.name } satisfies SkippedTest)}\n`;
  }
}
