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
      const { condition, ...number } = VISITORS;
      const asPagesSend = { condition, ...number, pending: 1, cool_down_minutes: 0, delay_minutes: 2 };
      await it.call("PATCH", `/v0/alerts/${id}`, { name: "Another name", metric: asPagesSend });
      assert.equal((await it.read(id)).state, "firing", "a new name does not begin it again");
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

    test("a firing that began while it was muted is told once when the mute is over, under its own id", async () => {
      it.setTime("2026-03-11T10:20:00");
      const id = await it.create({ ...VISITORS, every: { value: 15, unit: "minutes" } });
      const before = (await it.read(id)).deliveries;
      await it.call("PATCH", `/v0/alerts/${id}`, { muted_until: "2026-03-11T10:40:00Z" });
      it.setTime("2026-03-11T10:33:00");
      await it.evaluate();
      const muted = await it.read(id);
      assert.deepEqual([muted.state, muted.firings[0].state, muted.deliveries], ["firing", "muted", before]);
      it.setTime("2026-03-11T10:48:00");
      await Promise.all([it.evaluate(), it.evaluate()]);
      it.setTime("2026-03-11T11:03:00");
      await it.evaluate();
      const told = await it.read(id);
      assert.deepEqual([told.state, told.firings.length, told.deliveries], ["firing", 1, before + 1]);
      assert.deepEqual([told.firings[0].state, told.firings[0].id], ["sent", muted.firings[0].id]);
      const heardAt = "2026-03-11T10:48:00.000Z";
      assert.equal(told.firings[0].created_at, heardAt, "the bell rings for whoever looked at it during the mute");
      await it.call("DELETE", `/v0/alerts/${id}`);
    });

    test("after a restored backup a firing has the id with which it was told before", async () => {
      it.setTime("2026-03-11T10:05:00");
      const id = await it.create({ ...VISITORS, every: { value: 15, unit: "minutes" }, pending: 2 });
      await it.evaluate();
      const db = it.api.store.read;
      const backup = await db
        .selectFrom("alert_metrics")
        .select(["evaluated_to", "due_at", "memory"])
        .where("alert_id", "=", id)
        .executeTakeFirstOrThrow();
      const idsOf = async () => {
        const all = db.selectFrom("deliveries").select(["id", "payload"]).where("cause_id", "is not", null);
        return (await all.orderBy("id").execute()).map((row) => [
          row.id,
          (JSON.parse(row.payload) as { id: string }).id,
        ]);
      };
      const old = await idsOf();
      for (const time of ["10:18", "10:33", "10:48", "11:03"]) {
        it.setTime(`2026-03-11T${time}:00`);
        await it.evaluate();
      }
      const told = (await idsOf()).filter(([delivery]) => !old.some(([other]) => other === delivery));
      assert.equal(told.length, 1);
      await it.api.store.write(async (tx) => {
        await tx
          .deleteFrom("deliveries")
          .where("id", "=", told[0]?.[0] ?? "")
          .execute();
        await tx.deleteFrom("alert_firings").where("alert_id", "=", id).execute();
        await tx.updateTable("alert_metrics").set(backup).where("alert_id", "=", id).execute();
      });
      it.setTime("2026-03-11T11:05:00");
      await it.evaluate();
      assert.deepEqual(
        await idsOf(),
        [...old, ...told].toSorted((one, other) => (String(one) < String(other) ? -1 : 1)),
      );
      assert.equal((await it.read(id)).evaluation.skipped, 3);
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

test("windows of days are days of the project's time zone, in reports, in events and in the ledger", async () => {
  const it = await startMetricApi();
  try {
    // Clocks of Berlin go forward on 2026-03-29: this day begins at 23:00 of the day before and has 23 hours.
    const times = ["2026-03-28T22:59:00", "2026-03-28T23:01:00", "2026-03-29T12:00:00", "2026-03-29T21:59:00"];
    await it.store([...times, "2026-03-29T22:01:00"].map((at, nth) => ({ at, visitor: `v${nth}` })));
    const zone = { timezone: "Europe/Berlin" };
    await it.api.store.write((tx) => tx.updateTable("projects").set(zone).where("id", "=", it.project).execute());
    const day = { window: { value: 1, unit: "days" }, condition: { kind: "above", threshold: 2 } };
    const dates = "toDate(timestamp) BETWEEN {{date_from}} AND {{date_to}}";
    const moments = "timestamp >= {{time_from}} AND timestamp < {{time_to}}";
    const sources = {
      visitors: { of: "report", report: "kpis", value: "visitors" },
      events: { of: "report", report: "kpis", value: "events" },
      received: { of: "ingest", value: "received" },
      moments: { of: "sql", query: `SELECT count() FROM events WHERE ${moments}` },
      dates: { of: "sql", query: `SELECT count() FROM events WHERE ${dates}` },
    };
    it.setTime("2026-03-29T22:03:00");
    const ids = new Map<string, string>();
    for (const [name, source] of Object.entries(sources)) ids.set(name, await it.create({ ...source, ...day }));
    while ((await it.evaluate()) > 0);
    const read = async (name: string) => (await it.read(ids.get(name) ?? "")).evaluation;
    for (const name of ["visitors", "events", "received", "moments"]) {
      const { value, window_from, window_to, next_at } = await read(name);
      assert.deepEqual(
        { value, window_from, window_to, next_at },
        {
          value: 3,
          window_from: "2026-03-28T23:00:00.000Z",
          window_to: "2026-03-29T22:00:00.000Z",
          next_at: "2026-03-30T22:02:00.000Z",
        },
        name,
      );
    }
    // SQL about dates has days of UTC.
    const { value, window_to } = await read("dates");
    assert.deepEqual([value, window_to], [2, "2026-03-29T00:00:00.000Z"]);
    const changed = { ...day, condition: { kind: "changed", percent: 10 } };
    for (const name of ["visitors", "events", "received"] as const) {
      const metric = { ...sources[name], ...changed };
      const { body } = await it.call("POST", "/v0/alerts/preview", { trigger_type: "metric", metric });
      const shown = body.metric.points.map(({ time, value: n }: { time: string; value: number }) => [time, n]);
      assert.deepEqual(
        shown,
        [
          ["2026-03-28T23:00:00.000Z", 1],
          ["2026-03-29T22:00:00.000Z", 3],
        ],
        name,
      );
    }
  } finally {
    await it.stop();
  }
});
