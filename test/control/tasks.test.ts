import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, type TestContext, test } from "node:test";
import { startTasks, TaskFailed, type TaskKind, type TaskStep } from "../../src/control/run-tasks.ts";
import { cancelTask, claimTask, createTask, listTasks, saveTask, TASK_LEASE_MS } from "../../src/control/tasks.ts";
import { createProject, createWorkspace, deleteProject } from "../../src/control/tenants.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createControl, quietLog } from "../support/control.ts";
import { waitFor } from "../support/wait.ts";

const NOW = 1_700_000_000_000;

async function useTask(t: TestContext, backend: "sqlite" | "postgres") {
  const control = await createControl(backend);
  t.after(control.drop);
  const { store } = control;
  const made = await store.write(async (tx) => {
    const { id: workspaceId } = await createWorkspace(tx, "w", NOW);
    const { id: projectId } = await createProject(tx, workspaceId, "p", NOW);
    return { workspaceId, projectId, taskId: await createTask(tx, workspaceId, { projectId, kind: "count" }, NOW) };
  });
  const read = async () => (await listTasks(store.read, made.workspaceId, 10))[0];
  const start = (run: TaskKind["run"], leaseMs = TASK_LEASE_MS) =>
    startTasks([{ kind: "count", run }], { store, steady: systemClock, clock: systemClock, log: quietLog, leaseMs });
  return { store, ...made, read, start };
}

/** Works until it is stopped. */
async function hang({ signal }: TaskStep): Promise<never> {
  if (!signal.aborted) await once(signal, "abort");
  throw new Error("cut off");
}

for (const backend of ["sqlite", "postgres"] as const)
  describe(`a task on ${backend}`, () => {
    test("is done by one of 20 nodes, and after its lease by the next, which goes on at the cursor", async (t) => {
      const { store, taskId } = await useTask(t, backend);
      const claims = (nowMs: number) =>
        Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            claimTask(store, ["count"], { owner: `node ${i} at ${nowMs}`, nowMs, leaseMs: TASK_LEASE_MS }),
          ),
        );
      const first = await claims(NOW);
      assert.equal(first.filter(Boolean).length, 1);
      const owner = `node ${first.findIndex(Boolean)} at ${NOW}`;
      const saved = { done: 2, total: 5, cursor: "two" };
      assert.equal(await saveTask(store, taskId, owner, saved, NOW + TASK_LEASE_MS), true);
      const next = (await claims(NOW + TASK_LEASE_MS)).filter((task) => task !== undefined);
      assert.deepEqual(
        next.map(({ done, total, cursor }) => ({ done, total, cursor })),
        [saved],
      );
      assert.equal(await saveTask(store, taskId, owner, saved, NOW), false, "the first has lost it");
    });

    test("a lease from a clock that was set back does not hold it for hours", async (t) => {
      const { store } = await useTask(t, backend);
      const claim = (owner: string, nowMs: number) =>
        claimTask(store, ["count"], { owner, nowMs, leaseMs: TASK_LEASE_MS });
      assert.ok(await claim("ahead", NOW + 3_600_000));
      assert.ok(await claim("right", NOW));
    });

    test("saves its progress and its end, also a failed one with its reason", async (t) => {
      const { store, workspaceId, projectId, read, start } = await useTask(t, backend);
      let runs = 0;
      const runner = await start(async (_, { save }) => {
        runs += 1;
        await save({ done: 3, total: 3, cursor: "3" });
        if (runs === 2) throw new TaskFailed("no disk");
        if (runs === 3) throw new Error("connect ECONNREFUSED 10.0.0.5:5432");
      });
      t.after(runner.stop);
      await waitFor("the end", async () => (await read())?.state === "done");
      assert.partialDeepStrictEqual(await read(), { done: 3, total: 3, cursor: "3", message: null });
      await store.write((tx) => createTask(tx, workspaceId, { projectId, kind: "count" }, NOW + 1));
      await waitFor("the failure", async () => (await read())?.state === "failed");
      assert.equal((await read())?.message, "no disk");
      await store.write((tx) => createTask(tx, workspaceId, { projectId, kind: "count" }, NOW + 2));
      await waitFor(
        "the third",
        async () => (await read())?.createdAtMs === NOW + 2 && (await read())?.state === "failed",
      );
      assert.equal((await read())?.message, "It failed. The log of the service has the cause.");
    });

    for (const [when, failing] of [
      ["while it saves", 1],
      ["at its end", 2],
    ] as const)
      test(`a store that is away ${when} does not fail it: it goes on`, async (t) => {
        const { store, read } = await useTask(t, backend);
        // Counted from its begin.
        let writes = Number.NEGATIVE_INFINITY;
        const away = Object.assign(new Error("away"), { code: "ECONNREFUSED" });
        const flaky: typeof store = {
          ...store,
          isUnavailable: (cause) => cause === away,
          write(work) {
            writes += 1;
            return writes === failing ? Promise.reject(away) : store.write(work);
          },
        };
        const cursors: (string | null)[] = [];
        const run: TaskKind["run"] = async ({ cursor }, { save }) => {
          if (cursors.push(cursor) === 1) writes = 0;
          if (cursor === null) await save({ done: 1, total: 1, cursor: "one" });
        };
        const deps = { store: flaky, steady: systemClock, clock: systemClock, log: quietLog };
        const runner = await startTasks([{ kind: "count", run }], deps);
        t.after(runner.stop);
        await waitFor("the end", async () => (await read())?.state === "done", 20_000);
        assert.ok(cursors.length >= 2, cursors.join());
      });

    test("is cleared once it is recorded as done, and not where it was stopped at its very end", async (t) => {
      const { store, workspaceId, projectId, taskId, read } = await useTask(t, backend);
      const cleared: [id: string, state: string | undefined][] = [];
      const kind: TaskKind = {
        kind: "count",
        async run({ id }) {
          if (id === taskId) await store.write((tx) => cancelTask(tx, workspaceId, id, NOW));
        },
        async clear({ id }) {
          cleared.push([id, (await read())?.state]);
        },
      };
      const deps = { store, steady: systemClock, clock: systemClock, log: quietLog };
      const runner = await startTasks([kind], deps);
      t.after(runner.stop);
      await waitFor("the stop", async () => (await read())?.state === "cancelled");
      const second = await store.write((tx) => createTask(tx, workspaceId, { projectId, kind: "count" }, NOW + 1));
      await waitFor("it to be cleared", () => cleared.length > 0);
      assert.deepEqual(cleared, [[second, "done"]]);
    });

    test("a stop gives it back, and the next runner goes on at once at the cursor", async (t) => {
      const { read, start } = await useTask(t, backend);
      const first = await start(async (_, step) => {
        await step.save({ done: 1, total: 2, cursor: "one" });
        await hang(step);
      });
      await waitFor("a step", async () => (await read())?.done === 1);
      await first.stop();
      assert.equal((await read())?.state, "waiting");
      const cursors: (string | null)[] = [];
      const second = await start(async ({ cursor }) => void cursors.push(cursor));
      t.after(second.stop);
      await waitFor("the end", async () => (await read())?.state === "done");
      assert.deepEqual(cursors, ["one"]);
    });

    for (const [what, end] of [
      ["cancelled", "cancelled"],
      ["deleted with its project", undefined],
    ] as const)
      test(`work that is ${what} is aborted`, async (t) => {
        const { store, workspaceId, projectId, taskId, read, start } = await useTask(t, backend);
        const aborted = Promise.withResolvers<void>();
        const runner = await start(async (_, step) => hang(step).finally(aborted.resolve), 300);
        t.after(runner.stop);
        await waitFor("its begin", async () => (await read())?.state === "running");
        await store.write((tx) =>
          end ? cancelTask(tx, workspaceId, taskId, NOW) : deleteProject(tx, workspaceId, projectId, NOW),
        );
        await aborted.promise;
        assert.equal((await read())?.state, end);
      });
  });
