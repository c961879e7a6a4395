/**
 * Writes what is generated from the code and committed: openapi.json, the settings table, the errors page, the statements for a cluster and the dumps of
 * the control store's schema. `npm run generate` after a change; a test fails while one of them is stale.
 */
import { writeFileSync } from "node:fs";
import { generatedFiles } from "../test/support/generated.ts";

for (const [path, text] of Object.entries(await generatedFiles())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
  process.stdout.write(`wrote ${path}\n`);
}
