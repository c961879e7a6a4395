/** The entry point. The rest is loaded after it, so that its compiled code is kept as well. */
import { keepCompiledCode } from "./lib/compiled-code.ts";

// Only the owner may read the files of the data directory, or write compiled code.
process.umask(0o077);
keepCompiledCode();
await import("./command-line.ts");
