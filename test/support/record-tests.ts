/**
 * A reporter for the runner: a line of JSON for every skipped test, whose reasons it lists, and for every outermost test
 * or suite, whose costs it adds up. One for both, because Node warns at a fourth reporter.
 */
import type { TestEvent } from "node:test/reporters";

export interface SkippedTest {
  readonly reason: string;
  readonly test: string;
}

export interface EndedTest {
  readonly file: string;
  readonly ms: number;
}

export default async function* recordTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.nesting === 0 && data.file !== undefined) {
      yield `${JSON.stringify({ file: data.file, ms: data.details.duration_ms } satisfies EndedTest)}\n`;
    }
    if (type === "test:fail" || data.skip === undefined || data.skip === false) continue;
    const reason = data.skip === true ? "no reason given" : data.skip;
    yield `${JSON.stringify({ reason, test: data.name } satisfies SkippedTest)}\n`;
  }
}
