/**
 * A reporter for the runner: a line of JSON for every skipped test and every failed one, which it lists, and for every
 * outermost test or suite, whose costs it adds up. One for all, because Node warns at a fourth reporter.
 */
import type { TestEvent } from "node:test/reporters";

export interface SkippedTest {
  readonly reason: string;
  readonly test: string;
}

export interface FailedTest {
  readonly failed: string;
  readonly why: string;
}

export interface EndedTest {
  readonly file: string;
  readonly ms: number;
}

/** The test runner of Node wraps what a test threw. */
interface FailureOfNode extends Error {
  readonly cause?: unknown;
  readonly failureType?: string;
}

const MOST_CHARACTERS = 800;

export default async function* recordTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    if (data.nesting === 0 && data.file !== undefined) {
      yield `${JSON.stringify({ file: data.file, ms: data.details.duration_ms } satisfies EndedTest)}\n`;
    }
    if (type === "test:fail") {
      const { cause, failureType, message } = data.details.error as FailureOfNode;
      // A suite fails with its tests.
      if (failureType === "subtestsFailed") continue;
      const why = (cause instanceof Error ? cause.message : message).slice(0, MOST_CHARACTERS);
      yield `${JSON.stringify({ failed: data.name, why } satisfies FailedTest)}\n`;
      continue;
    }
    if (data.skip === undefined || data.skip === false) continue;
    const reason = data.skip === true ? "no reason given" : data.skip;
    yield `${JSON.stringify({ reason, test: data.name } satisfies SkippedTest)}\n`;
  }
}
