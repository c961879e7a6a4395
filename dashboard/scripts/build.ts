/**
 * Builds the dashboard into `dist/`, or into the directory given, and puts compressed copies beside the files.
 * The service sends those as they are: it builds and compresses nothing.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "vite";

const ROOT = resolve(import.meta.dirname, "..");
/** Pictures are compressed already. */
const COMPRESSED = /\.(js|css|html|svg|json|txt)$/;

const outDir = resolve(process.argv[2] ?? join(ROOT, "dist"));
await build({ root: ROOT, logLevel: "warn", build: { outDir, emptyOutDir: true } });
for (const name of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
  const path = join(outDir, name);
  if (!COMPRESSED.test(name) || name === "index.html" || !statSync(path).isFile()) continue;
  const bytes = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
