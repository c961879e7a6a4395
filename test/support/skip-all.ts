/**
 * Loaded before test files that cannot run here (`needs.ts`): they get a `node:test` whose tests are all skipped for the reason in
 * TEST_SKIP_REASON, so that they are counted one by one and not a hook or a body runs.
 */
import { registerHooks } from "node:module";

const replacement = new URL("skipped-test.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier !== "node:test" || context.parentURL === replacement) return nextResolve(specifier, context);
    return { url: replacement, shortCircuit: true };
  },
});
