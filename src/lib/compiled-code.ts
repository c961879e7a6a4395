import { enableCompileCache, getCompileCacheDir } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Below the package's own files: whoever can write there can change the code as well. `npm ci` removes it. Node keeps a
 * folder of its own in it for each version, processor and user.
 */
const DIRECTORY = fileURLToPath(new URL("../../node_modules/.cache/sextant", import.meta.url));

/**
 * Keeps compiled code from one start to the next, and the JavaScript made of TypeScript: 0.9 s of 2.4 s of processor
 * time. Node writes it when the process ends, and goes without where it cannot write.
 */
export function keepCompiledCode(): void {
  enableCompileCache(process.env.NODE_COMPILE_CACHE || DIRECTORY);
}

/** What a child process needs in its environment to do the same. */
export function compiledCodeEnv(): { NODE_COMPILE_CACHE?: string } {
  if (getCompileCacheDir() === undefined) return {};
  return { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || DIRECTORY };
}
