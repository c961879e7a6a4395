import { Readable } from "node:stream";
import type { RunReport } from "../../src/query/run.ts";

/** In place of the engine, where a test is about who may ask what: answers with the scope it was given. */
export const echoReport: RunReport = async (name, scope, query) => ({
  body: Readable.from([Buffer.from(JSON.stringify({ name, scope, query }))]),
  headers: {},
});
