import type { ReportName } from "../../src/contract/reports.ts";
import type { ServiceNeeds } from "../../src/routes/servers.ts";
import { echoLookup, echoReport, echoSql, noLive, noSystem } from "./reports.ts";

/**
 * Stand-ins for what the service brings to the route tables, in tests that run no engine. A test of a route with
 * another need passes it itself.
 */
const STAND_INS: Partial<ServiceNeeds> = {
  runReport: echoReport,
  runOther: (name, _report, ...rest) => echoReport(name as ReportName, ...rest),
  runLookup: echoLookup,
  runSql: echoSql,
  live: noLive,
  describeSystem: noSystem,
  writeWallets: async () => undefined,
  noteWallets: () => undefined,
  replayParked: async () => ({ stored: 0, stillInvalid: 0 }),
  /** Nothing is written. */
  uploadFiles: {
    maxBytes: 1e9,
    pathOf: () => "/no/such/file",
    refusedPathOf: () => "/no/such/file",
    hasRoom: async () => true,
    async writePart(_upload, part) {
      const chunks = await part.toArray();
      return chunks.reduce((sum, chunk: Buffer) => sum + chunk.length, 0);
    },
    list: async () => [],
    removeFile: async () => undefined,
    removeAll: async () => undefined,
  },
  demos: {
    watch: () => () => undefined,
    close: async () => undefined,
  },
};

export const TEST_NEEDS = STAND_INS as ServiceNeeds;
