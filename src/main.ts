/** The entry point. The rest is loaded after it, so that its compiled code is kept as well. */
import { keepCompiledCode } from "./lib/compiled-code.ts";

keepCompiledCode();
await import("./command-line.ts");
