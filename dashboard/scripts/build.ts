/** Builds the dashboard into `dist/`, or into the directory given. The service builds nothing. */
import { join, resolve } from "node:path";
import { build } from "vite";

const ROOT = resolve(import.meta.dirname, "..");
const outDir = resolve(process.argv[2] ?? join(ROOT, "dist"));
await build({ root: ROOT, logLevel: "warn", build: { outDir, emptyOutDir: true } });
