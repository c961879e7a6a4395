import { statSync } from "node:fs";
import { enableCompileCache, getCompileCacheDir } from "node:module";
import { fileURLToPath } from "node:url";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
/**
 * Below the package's own files: whoever can write there can change the code as well. `npm ci` removes it. Node keeps a
 * folder of its own in it for each version, processor and user.
 */
const DIRECTORY = fileURLToPath(new URL("../../node_modules/.cache/sextant", import.meta.url));

/**
 * Keeps compiled code from one start to the next, and the JavaScript made of TypeScript: 0.8 s of 2.3 s of the
 * processor time of a start. Node writes it when the process ends, and goes without where it cannot write.
 */
export function keepCompiledCode(): void {
  const { NODE_COMPILE_CACHE } = process.env;
  if (NODE_COMPILE_CACHE || isOurs()) enableCompileCache(NODE_COMPILE_CACHE || DIRECTORY);
}

/** Not for `sudo sextant`: the owner of the package could not remove what root leaves there, and `npm ci` would fail. */
function isOurs(): boolean {
  return process.getuid === undefined || statSync(PACKAGE).uid === process.getuid();
}

/** What a child process needs in its environment to do the same. */
export function compiledCodeEnv(): { NODE_COMPILE_CACHE?: string } {
  if (getCompileCacheDir() === undefined) return {};
  return { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || DIRECTORY };
}
