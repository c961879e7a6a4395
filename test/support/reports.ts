import type { ReportAnswer, RunReport } from "../../src/query/run.ts";

/** In place of the engine, where a test is about who may ask what: answers with the scope it was given. */
export const echoReport: RunReport = async (name, scope, query) => ({ name, scope, query }) as unknown as ReportAnswer;
