import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { cancelTask } from "../../src/control/tasks.ts";
import { createProject, createWorkspace } from "../../src/control/tenants.ts";
import { type ClaimedImport, claimImport } from "../../src/imports/claim-import.ts";
import { NO_MAPPING } from "../../src/imports/from/generic.ts";
import { createUpload, findUpload, recordImport, startUpload } from "../../src/imports/uploads.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createControl } from "../support/control.ts";

const { signal } = new AbortController();
const ENDED = { rows: 1, events: 1, refused: 0, refusedBytes: 0, hasKeyless: false };

/** An import whose lease somebody has. `hold` makes it another's, for so long. */
async function useImport(t: TestContext) {
  const control = await createControl("sqlite");
  const claimed: ClaimedImport[] = [];
  t.after(async () => {
    for (const { end } of claimed) await end();
    await control.drop();
  });
  // How often it is looked who has the lease.
  let looks = 0;
  const store: typeof control.store = {
    ...control.store,
    write(work) {
      looks += 1;
      return control.store.write(work);
    },
  };
  const made = await control.store.write(async (tx) => {
    const { id: workspaceId } = await createWorkspace(tx, "w", 1_000);
    return { workspaceId, projectId: (await createProject(tx, workspaceId, "p", 1_000)).id };
  });
  const file = { source: "umami", fileName: "a.csv", fileBytes: 7, contentId: "a" };
  const claim = async () => {
    looks = 0;
    const of = { ...file, projectId: made.projectId };
    const one = await claimImport(made.workspaceId, of, { store, clock: systemClock, signal });
    claimed.push(one);
    return one;
  };
  const hold = (owner: string, forMs: number) =>
    store.write((tx) =>
      tx
        .updateTable("imports")
        .set({ lease_owner: owner, lease_until: Date.now() + forMs })
        .execute(),
    );
  return { claim, hold, looks: () => looks };
}

test("an import whose process was killed goes on in one with the same number, as in a container that starts again", async (t) => {
  const { claim, hold } = await useImport(t);
  await claim();
  await hold(`${hostname()}/${process.pid}/process_before/lease_a`, 1_000);
  const next = await claim();
  await next.save(ENDED, true);
});

test("an import that this process has is refused at once", async (t) => {
  const { claim, looks } = await useImport(t);
  await claim();
  await assert.rejects(claim(), /is being imported into the project by another process/);
  assert.equal(looks(), 1);
});

test("an import whose process is gone from this machine goes on at once", async (t) => {
  const { claim, hold, looks } = await useImport(t);
  await claim();
  await hold(`${hostname()}/${spawnSync(process.execPath, ["--version"]).pid}/process_before/lease_a`, 10_000);
  await claim();
  assert.equal(looks(), 2);
});

test("an import of another process with the same number, which renews its lease, is refused", async (t) => {
  const { claim, hold } = await useImport(t);
  await claim();
  const owner = `${hostname()}/${process.pid}/process_beside/lease_a`;
  await hold(owner, 10_000);
  let isOver = false;
  const refused = assert.rejects(claim(), /is being imported into the project by another process/).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await hold(owner, 10_000);
    await delay(50);
  }
  await refused;
});

for (const backend of ["sqlite", "postgres"] as const)
  test(`a start may begin while its task is in work, and not after it was stopped or started again, on ${backend}`, async (t) => {
    const { store, drop } = await createControl(backend);
    t.after(drop);
    const begun = await store.write(async (tx) => {
      const { id: workspaceId } = await createWorkspace(tx, "w", 1_000);
      const { id: projectId } = await createProject(tx, workspaceId, "p", 1_000);
      const upload = await createUpload(tx, workspaceId, { projectId, fileName: "a.csv", fileBytes: 7 }, 1_000);
      return { workspaceId, upload };
    });
    const { workspaceId, upload } = begun;
    const start = () =>
      store.write(async (tx) => {
        await startUpload(tx, workspaceId, upload, { source: "umami", mapping: NO_MAPPING }, 1_000);
        const { taskId } = (await findUpload(tx, workspaceId, upload.id)) ?? {};
        assert.ok(taskId);
        return { id: taskId, workspaceId };
      });
    const mayBegin = (task: Awaited<ReturnType<typeof start>>) =>
      store.write((tx) => recordImport(tx, task, upload.id, "imp_a"));
    const first = await start();
    assert.equal(await mayBegin(first), true);
    const second = await start();
    assert.deepEqual([await mayBegin(first), await mayBegin(second)], [false, true]);
    await store.write((tx) => cancelTask(tx, workspaceId, second.id, 2_000));
    assert.equal(await mayBegin(second), false);
  });
