/** Builds `script/src/` into `script/dist/script.js`, or into the directory given. The service sends it as it is. */
import { resolve } from "node:path";
import { build } from "vite";

const ROOT = resolve(import.meta.dirname, "../../script");
const outDir = resolve(process.argv[2] ?? resolve(ROOT, "dist"));
/** Ten years of browsers would cost a third of the size; these are those of the last five. */
const TARGET = ["chrome100", "edge100", "firefox100", "safari15.4"];

await build({
  root: ROOT,
  configFile: false,
  logLevel: "warn",
  build: {
    outDir,
    emptyOutDir: true,
    target: TARGET,
    reportCompressedSize: false,
    lib: { entry: resolve(ROOT, "src/main.ts"), formats: ["iife"], name: "s", fileName: () => "script.js" },
  },
});
