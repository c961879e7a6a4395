/** A reader that writes two rows and ends as its argument says. */
import { ImportError } from "../../../src/imports/import-error.ts";
import { runReader } from "../../../src/imports/read/reader-process.ts";

const kept: Buffer[] = [];
const forever = new Promise<never>(() => undefined);

await runReader(async function* readRows([how = ""]) {
  yield '{"n":1}\n{"n":2}\n';
  for (let n = 3; how === "writes"; n += 1) yield `{"n":${n}}\n`;
  if (how === "refuses") throw new ImportError("line 3 is wrong");
  if (how === "fails") throw new Error("a library says so");
  if (how === "crashes") process.abort();
  if (how === "hangs") await Promise.race([forever, new Promise((resolve) => setTimeout(resolve, 3_600_000))]);
  while (how === "swells") {
    kept.push(Buffer.alloc(32 * 1024 * 1024, 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
});
