/** The first module of every worker thread: see start-worker.ts. */
import { flushCompileCache } from "node:module";
import { workerData } from "node:worker_threads";
import { keepCompiledCode } from "./compiled-code.ts";

keepCompiledCode();
await import((workerData as { script: string }).script);
// A thread is ended without notice; the main thread writes its own when the process ends.
flushCompileCache();
