import type { ReportDeps } from "../../src/query/run.ts";

/** An engine that has no rows, and answers when the test lets it. */
export function engineAnswering(answer: (signal: AbortSignal | undefined) => Promise<void>): ReportDeps["engine"] {
  return {
    relations: { forReport: async () => ({ ctes: [], params: {} }) },
    async select(_sql, options) {
      await answer(options?.signal);
      return { rows: [], statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } };
    },
  };
}
