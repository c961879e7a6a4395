/**
 * Writes the files that are generated from the code and committed (generate/files.ts lists them). Run `npm run
 * generate` after a change; a test fails while one of them is stale.
 */
import { writeFileSync } from "node:fs";
import { generatedFiles } from "./generate/files.ts";
import { startPostgres } from "./generate/postgres.ts";

const postgres = await startPostgres();
try {
  for (const [path, text] of Object.entries(await generatedFiles(postgres.url))) {
    writeFileSync(new URL(`../${path}`, import.meta.url), text);
    process.stdout.write(`wrote ${path}\n`);
  }
} finally {
  await postgres.stop();
}
