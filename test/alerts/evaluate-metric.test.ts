import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { listDueMetrics } from "../../src/alerts/metric/states.ts";
import type { ControlStore } from "../../src/control/store.ts";
import { drawnStores } from "../support/stores.ts";
import { type MetricApi, startMetricApi } from "./metric-api.ts";

const VISITORS = {
  of: "report",
  report: "kpis",
  value: "visitors",
  window: { value: 1, unit: "hours" },
  condition: { kind: "above", threshold: 2 },
};

for (const backend of drawnStores(import.meta.filename))
  describe(`the evaluation of metric alerts on ${backend}`, () => {
    let it: MetricApi;
    before(async () => {
      it = await startMetricApi(backend);
      // A Wednesday.
      await it.store(["a", "b", "c"].map((visitor, at) => ({ at: `2026-03-11T10:1${at}:00`, visitor })));
      await it.store([{ at: "2026-03-11T11:30:00", visitor: "a" }]);
    });
    after(() => it.stop());

    test("fires once when the window is closed, and resolves once, whoever looks at it again", async () => {
      it.setTime("2026-03-11T10:30:00");
      const id = await it.create(VISITORS);
      await it.evaluate();
      assert.deepEqual((await it.read(id)).state, "ok", "the hour before has no visitors");
      it.setTime("2026-03-11T11:01:59");
      assert.equal(await it.evaluate(), 0, "the window is not closed yet");
      it.setTime("2026-03-11T11:02:00");
      assert.equal(await it.evaluate(), 1);
      assert.equal(await it.evaluate(), 0);
      const firing = await it.read(id);
      assert.deepEqual([firing.state, firing.firings.length, firing.deliveries], ["firing", 1, 1]);
      assert.deepEqual(firing.evaluation, {
        state: "firing",
        value: 3,
        reason: null,
        window_from: "2026-03-11T10:00:00.000Z",
        window_to: "2026-03-11T11:00:00.000Z",
        next_at: "2026-03-11T12:02:00.000Z",
        firing_since: "2026-03-11T11:00:00.000Z",
        skipped: 0,
        skipped_from: null,
      });
      const { details } = firing.firings[0];
      assert.deepEqual([details.change, details.value, details.upper], ["firing", 3, 2]);
      it.setTime("2026-03-11T12:05:00");
      await Promise.all([it.evaluate(), it.evaluate()]);
      const resolved = await it.read(id);
      assert.deepEqual([resolved.state, resolved.firings.length, resolved.deliveries], ["resolved", 2, 2]);
      assert.equal(resolved.firings[0].details.firing_id, firing.firings[0].id);
      assert.equal((await it.call("DELETE", `/v0/alerts/${id}`)).status, 200);
    });

    test("a crash before the commit repeats the question and not the message", async () => {
      it.setTime("2026-03-11T11:10:00");
      const id = await it.create(VISITORS);
      const before = (await it.read(id)).deliveries;
      const write: ControlStore["write"] = async (work) =>
        it.api.store.write(async (tx) => {
          await work(tx);
          throw new Error("the node dies");
        });
      const dying = { ...it.job, store: { ...it.job.store, write } as ControlStore };
      await assert.rejects(it.evaluate(dying), /the node dies/);
      const untouched = await it.read(id);
      assert.deepEqual([untouched.state, untouched.firings.length, untouched.deliveries], [null, 0, before]);
      await Promise.all([it.evaluate(), it.evaluate()]);
      const fired = await it.read(id);
      assert.deepEqual([fired.state, fired.firings.length, fired.deliveries], ["firing", 1, before + 1]);
      await it.call("DELETE", `/v0/alerts/${id}`);
    });

    test("after a time without workers the last window is evaluated, and the others are counted", async () => {
      it.setTime("2026-03-11T08:05:00");
      const id = await it.create(VISITORS);
      await it.evaluate();
      it.setTime("2026-03-11T13:05:00");
      assert.equal(await it.evaluate(), 1);
      const { evaluation, state, firings } = await it.read(id);
      assert.deepEqual([state, firings.length], ["ok", 0], "the hour that would have fired is over");
      assert.deepEqual([evaluation.skipped, evaluation.skipped_from], [4, "2026-03-11T08:00:00.000Z"]);
      await it.call("DELETE", `/v0/alerts/${id}`);
    });

    test("a muted alert fires and tells nobody; one that was changed starts again", async () => {
      it.setTime("2026-03-11T11:10:00");
      const id = await it.create(VISITORS);
      const before = (await it.read(id)).deliveries;
      await it.call("PATCH", `/v0/alerts/${id}`, { muted_until: "2026-03-11T20:00:00Z" });
      await it.evaluate();
      const muted = await it.read(id);
      assert.deepEqual([muted.state, muted.firings[0].state, muted.deliveries], ["firing", "muted", before]);
      const metric = { ...VISITORS, condition: { kind: "above", threshold: 5 } };
      it.setTime("2026-03-11T11:10:01");
      assert.equal((await it.call("PATCH", `/v0/alerts/${id}`, { metric })).status, 200);
      assert.deepEqual([(await it.read(id)).state, (await it.read(id)).evaluation], [null, null]);
      assert.equal(await it.evaluate(), 1);
      assert.equal((await it.read(id)).state, "ok");
      await it.call("DELETE", `/v0/alerts/${id}`);
    });

    test("a question that cannot be asked is an error, and after five in a row the alert is inactive and says why", async () => {
      it.setTime("2026-03-11T11:10:00");
      const query = "SELECT nothing FROM events WHERE timestamp >= {{time_from}} AND timestamp < {{time_to}}";
      const window = { value: 5, unit: "minutes" };
      const id = await it.create({ of: "sql", query, window, condition: { kind: "above", threshold: 1 } });
      for (const minute of ["10", "15", "20", "25", "30"]) {
        it.setTime(`2026-03-11T11:${minute}:00`);
        assert.equal((await it.read(id)).status, "active");
        assert.equal(await it.evaluate(), 1);
      }
      const { status, status_reason, evaluation, firings } = await it.read(id);
      assert.deepEqual([status, evaluation.state, firings.length], ["inactive", "error", 0]);
      assert.match(status_reason, /nothing/);
      it.setTime("2026-03-11T11:40:00");
      assert.equal(await it.evaluate(), 0);
      await it.call("DELETE", `/v0/alerts/${id}`);
    });
  });

test("alerts whose events are not all stored yet do not stand before one that is longer due", async () => {
  const it = await startMetricApi();
  try {
    it.setTime("2026-03-11T11:03:00");
    const all = [];
    for (let nth = 0; nth < 22; nth += 1)
      all.push(await it.create({ ...VISITORS, window: { value: 5, unit: "minutes" } }));
    while ((await it.evaluate()) > 0);
    // The last of the list was left behind, as by a node that was killed.
    const last = all.toSorted().at(-1) ?? "";
    await it.api.store.write((tx) => tx.deleteFrom("alert_metrics").where("alert_id", "=", last).execute());
    it.setTime("2026-03-11T11:08:00");
    assert.equal(await it.evaluate({ ...it.job, lagSeconds: () => 120 }), 1);
    assert.notEqual((await it.read(last)).evaluation, null);
  } finally {
    await it.stop();
  }
});

test("the alerts of many workspaces take turns: the second of one comes after the first of each", async () => {
  const it = await startMetricApi();
  try {
    it.setTime("2026-03-11T11:10:00");
    const names = new Map<string, string>();
    for (const name of ["a1", "a2", "a3"]) names.set(await it.create(VISITORS), name);
    const other = await it.api.createKey();
    const project_id = await it.api.createProject(other.workspaceId, "Other");
    const answer = await fetch(`${it.api.apiUrl}/v0/alerts`, {
      method: "POST",
      headers: { authorization: `Bearer ${other.text}`, "content-type": "application/json" },
      body: JSON.stringify({ project_id, name: "B", trigger_type: "metric", trigger_filters: [], metric: VISITORS }),
    });
    const { id } = (await answer.json()) as { id: string };
    names.set(id, "b");
    const due = await listDueMetrics(it.api.store.read, Date.parse("2026-03-11T11:10:00Z"), 10);
    const turns = due.map((alert) => names.get(alert.id)?.[0]);
    assert.deepEqual([new Set(turns.slice(0, 2)), turns.slice(2)], [new Set(["a", "b"]), ["a", "a"]]);
  } finally {
    await it.stop();
  }
});
