// Node runs the TypeScript of a checkout by itself, but refuses files below a folder called node_modules, where npm
// installs the package. `sextant` loads this file there: it removes the types of our own sources the way Node does.
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";

const sources = new URL("../src/", import.meta.url).href;

registerHooks({
  load(url, context, next) {
    if (!url.startsWith(sources) || !url.endsWith(".ts")) return next(url, context);
    return {
      format: "module",
      source: stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8")),
      shortCircuit: true,
    };
  },
});
