import { Registry } from "prom-client";
import { createHttpMetrics } from "../src/http/metrics.ts";
import { rateHeaders } from "../src/http/rate-headers.ts";
import { createRecentIds } from "../src/ingest/recent-ids.ts";
import { encodeRecord } from "../src/ingest/record.ts";
import { newId } from "../src/lib/ids.ts";

const o = createHttpMetrics(new Registry()).observer({
  server: "events",
  method: "POST",
  route: "/v0/events",
  status: 200,
});
function t(name: string, f: (i: number) => unknown) {
  for (let i = 0; i < 50_000; i++) f(i);
  const t0 = performance.now();
  const N = 300_000;
  for (let i = 0; i < N; i++) f(i);
  console.log(name.padEnd(20), (((performance.now() - t0) * 1000) / N).toFixed(2), "us");
}
t("observe", (i) => o(i / 1e6));
const body = Buffer.alloc(1000);
t("encodeRecord", (i) =>
  encodeRecord(
    {
      projectId: "prj_aaaaaaaaaaaaaaaaaaaaaa",
      workspaceId: "wsp_aaaaaaaaaaaaaaaaaaaaaa",
      receivedAtMs: i,
      rules: "raw",
      lines: false,
      idBase: "msg_aaaaaaaaaaaaaaaaaaaaaa",
      clean: true,
    },
    body,
  ),
);
t("newId", () => newId("msg"));
const r = createRecentIds();
t("recent", (i) => r.seen("prj_aaaaaaaaaaaaaaaaaaaaaa", `${i}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`));
t("rateHeaders", (i) => ({ ...rateHeaders({ allowed: true, limit: 10, remaining: i, resetSeconds: 1 }), a: 1 }));
