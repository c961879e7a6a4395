import type { ReportAnswer, RunReport } from "../../src/query/run.ts";

/** Replaces the engine in tests about access: answers with the scope it was given. */
export const echoReport: RunReport = async (name, scope, query) => ({ name, scope, query }) as unknown as ReportAnswer;
