/** Replaces `node:test` in a file that is skipped as a whole. */
import * as real from "node:test";

const skip = process.env.TEST_SKIP_REASON ?? true;

export const test = (name: string) => real.test(name, { skip });
export const it = test;

// Not `describe` with its own options: the tests of a skipped suite are not counted.
export const describe = (name: string, ...rest: unknown[]) => {
  const body = rest.at(-1);
  return real.describe(name, typeof body === "function" ? () => void body() : undefined);
};

const nothing = () => undefined;
export const before = nothing;
export const after = nothing;
export const beforeEach = nothing;
export const afterEach = nothing;
export const mock = real.mock;
