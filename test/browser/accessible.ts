import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type axe from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(new URL("./axe.min.js", import.meta.resolve("axe-core")), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/**
 * axe at WCAG 2.2 AA and its best practices, of the page or of a part of it: no violation, and enough passed checks to
 * be meaningful.
 */
export async function expectAccessible(page: Page, where: string, part = "html"): Promise<void> {
  const expression = `${AXE}; axe.run(${JSON.stringify(part)}, { runOnly: ${JSON.stringify(RULES)} })
    .then(({ violations, passes }) => JSON.stringify({ violations, passed: passes.length }))`;
  // Through the debugger, to which the page's policy does not apply: the page itself may run no script.
  const client = await page.context().newCDPSession(page);
  const done = await client.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  await client.detach();
  const { violations, passed } = JSON.parse(String(done.result.value)) as { violations: axe.Result[]; passed: number };
  const shown = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`);
  assert.deepEqual(shown, [], where);
  assert.ok(passed > 10, `${where}: only ${passed} rules applied`);
}

export async function expectNoOverflow(page: Page, where: string): Promise<void> {
  const root = "document.documentElement";
  assert.equal(await page.evaluate(`${root}.scrollWidth - ${root}.clientWidth`), 0, where);
}
