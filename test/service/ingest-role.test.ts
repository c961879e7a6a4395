import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { createUploadFiles } from "../../src/imports/upload-files.ts";
import { acceptEvents } from "../../src/ingest/accept.ts";
import { dataPaths, prepareDataDir } from "../../src/installation/data-dir.ts";
import { openIngest } from "../../src/service/roles/ingest.ts";
import { TEST_SECRET } from "../support/api.ts";
import { createControl, quietLog } from "../support/control.ts";
import { sampleEvent } from "../support/events.ts";
import { startLocalEngine } from "../support/local-engine.ts";
import { waitFor } from "../support/wait.ts";

it("a full log is not ready, with the reason, and is ready again when the warehouse has stored it", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "ingest-"));
  const paths = dataPaths(root);
  prepareDataDir(paths);
  const control = await createControl("sqlite");
  const local = await startLocalEngine();
  const back = Promise.withResolvers<void>();
  const engine: AnalyticsEngine = {
    ...local.engine,
    async openBatchStore(options) {
      const store = await local.engine.openBatchStore(options);
      return { ...store, store: async (...batch) => back.promise.then(() => store.store(...batch)) };
    },
  };
  const { accept, checks, metrics, close } = await openIngest({
    paths,
    store: control.store,
    secret: TEST_SECRET,
    engine,
    maxLogBytes: 1024 * 1024,
    uploadFiles: createUploadFiles({ dir: paths.imports, maxBytes: 0, reserveBytes: 0 }),
    log: quietLog,
  });
  t.after(async () => {
    await close();
    await local.stop();
    await control.drop();
    rmSync(root, { recursive: true });
  });
  const check = async () => checks.find(({ name }) => name === "event log")?.check();
  const gauge = async () => /^sextant_log_ok (\d)$/m.exec(await metrics.metrics())?.[1];
  const body = Buffer.from(JSON.stringify(sampleEvent("one", { properties: { text: "x".repeat(50_000) } })));
  const common = { workspaceId: "w", projectId: "p", rules: "tracked", lines: false, detail: false } as const;
  const send = () => acceptEvents(accept, { ...common, body: [body], country: undefined, idBase: undefined });

  await check();
  assert.equal(await gauge(), "1");
  await assert.rejects(
    async () => {
      for (let i = 0; i < 100; i += 1) await send();
    },
    { code: "SERVICE_UNAVAILABLE" },
  );
  await assert.rejects(check, /^Error: the log is full: 1 of 1 MB wait for the warehouse$/);
  assert.equal(await gauge(), "0");
  back.resolve();
  await waitFor("the log to have room again", async () => (await gauge()) === "1", 10_000);
  await check();
  await send();
});
