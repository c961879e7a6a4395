import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { EventReader } from "../../src/alerts/evaluate/new-events.ts";
import { purgeAlertRows } from "../../src/alerts/purge.ts";
import { ALERT_LIMITS } from "../../src/contract/alerts.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/lib/time.ts";
import { startLocalEngine, type TestLocalEngine } from "../support/local-engine.ts";
import { useEvaluator } from "./use-evaluator.ts";

const START = Date.UTC(2026, 2, 10, 12, 0, 30);

/** Starts one engine for the tests of a suite; each has a store and projects of its own. */
function useEngine() {
  let started: TestLocalEngine;
  before(async () => {
    started = await startLocalEngine();
  });
  after(() => started.stop());
  return async (t: TestContext, backend: "sqlite" | "postgres" = "sqlite") => {
    const given = await useEvaluator(started.engine, backend, START);
    t.after(() => given.stop());
    return given;
  };
}

const buy = (message_id: string, more = {}) => ({ message_id, event: "buy", ...more });
const BUYS = [{ field: "event", value: "buy" }];

/** An engine on which some statements fail. */
function failAt(engine: EventReader, isFailing: (params: Readonly<Record<string, unknown>>) => boolean): EventReader {
  return {
    relations: engine.relations,
    select: (sql, options) =>
      isFailing(options?.params ?? {}) ? Promise.reject(new Error("broken")) : engine.select(sql, options),
  };
}

describe("event alerts", () => {
  const use = useEngine();

  test("what was received before the alert, and what came while it was inactive, is not told", async (t) => {
    const given = await use(t);
    await given.send([buy("before")]);
    given.pass(1);
    const id = await given.create({ trigger_filters: BUYS });
    await given.send([buy("m1")]);
    await given.round();
    await given.change(id, { status: "inactive" });
    given.pass(SECOND_MS);
    await given.send([buy("while inactive")]);
    await given.round();
    given.pass(SECOND_MS);
    await given.change(id, { status: "active" });
    await given.send([buy("m2")]);
    await given.round();
    assert.deepEqual(await given.ids(), ["m1", "m2"]);
  });

  test("an alert that comes into a minute that others have looked at sees what is received after it", async (t) => {
    const given = await use(t);
    await given.create({ trigger_filters: [{ field: "event", value: "other" }] });
    await given.send([buy("m1")]);
    await given.round();
    given.pass(10);
    await given.create({ trigger_filters: BUYS });
    await given.send([buy("m2")]);
    await given.round();
    assert.deepEqual(await given.ids(), ["m2"]);
  });

  test("an event that comes far out of order into a minute is found by the number of its events", async (t) => {
    const given = await use(t);
    await given.create({ trigger_filters: BUYS });
    await given.send([buy("m1")]);
    await given.round();
    given.pass(25 * SECOND_MS);
    await given.send([buy("m2")]);
    await given.round();
    given.pass(SECOND_MS);
    await given.send([buy("late"), { message_id: "view", event: "view" }], { receivedMs: START + SECOND_MS });
    await given.round();
    await given.round();
    assert.deepEqual(await given.ids(), ["late", "m1", "m2"]);
  });

  test("the events of one project are not told by the alerts of another", async (t) => {
    const given = await use(t);
    const other = await given.addProject();
    await given.create({ trigger_filters: BUYS }, other);
    await given.send([buy("m1")]);
    await given.send([buy("m2")], { ofProject: other });
    await given.round();
    assert.deepEqual(await given.ids(), ["m2"]);
  });

  test("what is told again after a restored backup has the same ids", async (t) => {
    const given = await use(t);
    await given.create({ trigger_filters: BUYS });
    await given.send([buy("m1"), buy("m2")]);
    await given.round();
    const idsOf = async () => {
      const rows = await given.store.read.selectFrom("deliveries").select(["id", "payload"]).orderBy("id").execute();
      return rows.map(({ id, payload }) => [id, (JSON.parse(payload) as { id: string }).id]);
    };
    const before = await idsOf();
    await given.store.write(async (tx) => {
      for (const table of ["deliveries", "alert_firings", "alert_minutes", "alert_counts"] as const)
        await tx.deleteFrom(table).execute();
    });
    given.restart();
    given.pass(HOUR_MS);
    await given.round();
    assert.equal(before.length, 2);
    assert.deepEqual(await idsOf(), before);
  });

  test("a project with one event waits for one page of a project with many, not for all of them", async (t) => {
    const given = await use(t);
    const [large, small] = [given.projectId, await given.addProject()];
    for (const id of [large, small]) await given.create({ trigger_filters: BUYS }, id);
    await given.send(Array.from({ length: 12_000 }, (_, nth) => ({ message_id: `m${nth}`, event: "view" })));
    await given.send([buy("m")], { ofProject: small });
    const pages: string[] = [];
    const reader: EventReader = {
      relations: given.engine.relations,
      select(sql, options) {
        const [project] = (options?.params?.arrivals_projects ?? []) as string[];
        if (project !== undefined && options?.params?.limit !== undefined) pages.push(project);
        return given.engine.select(sql, options);
      },
    };
    assert.equal(await given.again(reader).round(new AbortController().signal), 12_001);
    assert.equal(pages.filter((id) => id === large).length, 3);
    assert.ok(pages.indexOf(small) <= 1, pages.join());
    assert.deepEqual(await given.ids(), ["m"]);
  });

  test("what fails in one project does not keep the others from theirs, and is tried again", async (t) => {
    const given = await use(t);
    const others = [await given.addProject("One"), await given.addProject("Two")];
    for (const id of [given.projectId, ...others]) await given.create({ trigger_filters: BUYS }, id);
    for (const [nth, id] of [given.projectId, ...others].entries())
      await given.send([buy(`m${nth}`)], { ofProject: id });
    let first: unknown;
    const failing = failAt(given.engine, ({ limit, arrivals_projects: projects }) => {
      if (limit !== undefined) first ??= String(projects);
      return String(projects) === first;
    });
    await assert.rejects(given.again(failing).round(new AbortController().signal), /broken/);
    assert.equal((await given.ids()).length, 2);
    await given.round();
    assert.deepEqual(await given.ids(), ["m0", "m1", "m2"]);
  });

  test("a crash between the transactions of one minute leaves nothing out, and tells nothing twice", async (t) => {
    const given = await use(t);
    for (let nth = 0; nth < 45; nth += 1) await given.create({ name: `A${nth}`, trigger_filters: BUYS });
    await given.send([buy("m1"), buy("m2")]);
    let reads = 0;
    const failing = failAt(given.engine, (params) => params.keys !== undefined && ++reads === 2);
    await assert.rejects(given.again(failing).round(new AbortController().signal), /broken/);
    const some = (await given.told()).length;
    assert.ok(some > 0 && some < 90, `${some} are told before the crash`);
    given.restart();
    await given.round();
    await given.round();
    assert.equal((await given.told()).length, 90);
  });

  test("imported history is told only where the alert asks for it", async (t) => {
    const given = await use(t);
    await given.create({ name: "Without", trigger_filters: BUYS });
    const id = await given.create({ name: "With", trigger_filters: BUYS, include_imported: true });
    await given.send([buy("m1", { channel: "import", timestamp: START - 90 * DAY_MS })]);
    await given.round();
    const firings = await given.store.read.selectFrom("alert_firings").select("alert_id").execute();
    assert.deepEqual(
      firings.map(({ alert_id }) => alert_id),
      [id],
    );
  });

  test("a late event, with a time of last week, is told", async (t) => {
    const given = await use(t);
    await given.create({ trigger_filters: BUYS });
    await given.send([buy("m1", { timestamp: START - 7 * DAY_MS })]);
    await given.round();
    assert.deepEqual(await given.ids(), ["m1"]);
  });

  test("a copy of a message is not told again", async (t) => {
    const given = await use(t);
    await given.create({ trigger_filters: BUYS });
    await given.send([buy("m1")]);
    await given.round();
    given.pass(2 * MINUTE_MS);
    await given.send([buy("m1", { dedupe_day: "2026-03-10" })]);
    await given.round();
    assert.deepEqual(await given.ids(), ["m1"]);
  });

  test(`of a storm ${ALERT_LIMITS.items} are told, and the others as one number when it is over`, async (t) => {
    const given = await use(t);
    await given.create({ trigger_filters: BUYS });
    const many = (name: string, n: number) => Array.from({ length: n }, (_, nth) => buy(`${name}${nth}`));
    await given.send(many("a", 40));
    await given.round();
    given.pass(SECOND_MS);
    await given.send(many("b", 2_000));
    await given.round();
    given.restart();
    await given.round();
    assert.equal((await given.ids()).length, ALERT_LIMITS.items);
    given.pass(ALERT_LIMITS.stormMinutes * MINUTE_MS);
    await given.round();
    await given.round();
    const counted = (await given.told()).filter(({ count }) => count !== undefined);
    assert.deepEqual(
      counted.map(({ count, data }) => [count, data]),
      [[40 + 2_000 - ALERT_LIMITS.items, []]],
    );
    await given.send([buy("after")]);
    await given.round();
    assert.ok((await given.ids()).includes("after"), "a new storm begins with items");
  });

  test(`a storm without end tells ${ALERT_LIMITS.itemsPerDay} one by one in 24 hours, and then a number an hour`, async (t) => {
    const given = await use(t);
    const id = await given.create({ trigger_filters: BUYS });
    // The day so far: what remains of it is 30 items.
    const dayItems = ALERT_LIMITS.itemsPerDay - 30;
    const startMs = given.now();
    const set = { day_at: startMs, day_items: dayItems };
    await given.store.write((tx) => tx.updateTable("alerts").set(set).where("id", "=", id).execute());
    let sent = 0;
    const minutes = async (count: number, many: number) => {
      for (let nth = 0; nth < count; nth += 1) {
        given.pass(ALERT_LIMITS.stormMinutes * MINUTE_MS);
        if (many > 0) await given.send(Array.from({ length: many }, (_, one) => buy(`s${sent + one}`)));
        sent += many;
        await given.round();
      }
    };
    await minutes(2, 30);
    assert.equal((await given.ids()).length, 30);
    // Three hours of it, in steps of five minutes.
    await minutes(36, 2);
    assert.equal((await given.ids()).length, 30, "no more items on this day");
    const counts = async () => (await given.told()).flatMap(({ count }) => count ?? []);
    assert.ok((await counts()).length <= 5, `${(await counts()).length} numbers in three hours`);
    given.pass(startMs + 24 * HOUR_MS - given.now());
    await minutes(1, 1);
    await minutes(1, 0);
    const all = (await given.ids()).length + (await counts()).reduce((sum, one) => sum + one, 0);
    assert.deepEqual([(await given.ids()).length, all], [31, sent], "the next day has items, and none was left out");
  });

  test("a muted alert fires and tells nobody", async (t) => {
    const given = await use(t);
    const id = await given.create({ trigger_filters: BUYS });
    await given.change(id, { muted_until: new Date(given.now() + HOUR_MS).toISOString() });
    await given.send([buy("m1")]);
    await given.round();
    assert.deepEqual(await given.told(), []);
    const firings = await given.store.read.selectFrom("alert_firings").select("state").execute();
    assert.deepEqual(
      firings.map(({ state }) => state),
      ["muted"],
    );
  });

  test("each stored event is read once for all alerts of its project", async (t) => {
    const given = await use(t);
    for (let nth = 0; nth < 20; nth += 1) await given.create({ name: `A${nth}`, trigger_filters: BUYS });
    for (let batch = 0; batch < 5; batch += 1) {
      await given.send([buy(`m${batch}`)]);
      await given.round();
      given.pass(200);
    }
    assert.equal(given.matches.looked, 5);
    assert.equal((await given.told()).length, 100);
  });

  test("an alert whose conditions cannot be compared becomes inactive after five failures, and says why", async (t) => {
    const given = await use(t);
    const id = await given.create({ trigger_filters: BUYS });
    await given.store.write((tx) =>
      tx
        .updateTable("alerts")
        .set({ filters: JSON.stringify([{ field: "gone", value: "x" }]) })
        .execute(),
    );
    for (let round = 1; round < ALERT_LIMITS.failures; round += 1) await given.round();
    assert.equal((await given.find(id)).status, "active");
    await given.round();
    const { status, statusReason } = await given.find(id);
    assert.equal(status, "inactive");
    assert.match(statusReason ?? "", /field must be one of/);
  });

  test("old rows are erased, and what is erased fires nothing again", async (t) => {
    const given = await use(t);
    await given.create({ trigger_filters: BUYS });
    await given.send([buy("m1")]);
    await given.round();
    given.pass(40 * DAY_MS);
    const nowMs = given.now();
    const before = {
      firingsBeforeMs: nowMs - 30 * DAY_MS,
      minutesBeforeMs: nowMs - 2 * DAY_MS,
      walletsBeforeMs: nowMs,
    };
    assert.ok((await purgeAlertRows(given.store, before)) >= 3);
    assert.equal(await purgeAlertRows(given.store, before), 0);
    given.restart();
    await given.round();
    assert.deepEqual(await given.ids(), ["m1"]);
  });
});

for (const backend of ["sqlite", "postgres"] as const)
  describe(`two workers on ${backend}`, () => {
    const use = useEngine();

    test("tell each match once, whoever is faster", async (t) => {
      const given = await use(t, backend);
      await given.create({ trigger_filters: BUYS });
      const [one, two] = [given.again(), given.again()];
      const { signal } = new AbortController();
      for (let batch = 0; batch < 4; batch += 1) {
        await given.send([buy(`m${batch}`)]);
        await Promise.all([one.round(signal), two.round(signal)]);
        given.pass(300);
      }
      await one.round(signal);
      assert.deepEqual(await given.ids(), ["m0", "m1", "m2", "m3"]);
    });
  });

describe("user alerts", () => {
  const use = useEngine();
  const ADDRESS = `0x${"a".repeat(40)}`;
  const spend = (message_id: string, revenue: number, more = {}) => ({
    message_id,
    event: "buy",
    address: ADDRESS,
    revenue,
    ...more,
  });

  test("a wallet that meets the conditions is told with its profile, at most once in 24 hours", async (t) => {
    const given = await use(t);
    await given.create({
      trigger_type: "user",
      trigger_filters: [{ field: "revenue", value: "", numericThreshold: "100" }],
    });
    await given.send([spend("m1", 60, { location: "DE" })]);
    await given.round();
    assert.deepEqual(await given.told(), [], "60 is less than 100");
    given.pass(SECOND_MS);
    await given.send([spend("m2", 50)]);
    await given.round();
    const [told] = await given.told();
    assert.equal(told?.type, "alert.user.triggered");
    const [item] = told?.data ?? [];
    assert.equal(item?.address, ADDRESS);
    assert.equal(item?.revenue, 110);
    assert.equal(
      item?.profile_url,
      `https://s.example/app/wallets/wallet?project=${given.projectId}&address=${ADDRESS}`,
    );
    given.pass(23 * HOUR_MS);
    await given.send([spend("m3", 1)]);
    await given.round();
    assert.equal((await given.told()).length, 1);
    given.pass(HOUR_MS);
    await given.send([spend("m4", 1)]);
    await given.round();
    given.restart();
    await given.round();
    const all = await given.told();
    assert.equal(all.length, 2);
    assert.notEqual(all[0]?.id, all[1]?.id);
  });

  test("a wallet that comes back after days is told again, also when the time of its last telling is erased", async (t) => {
    const given = await use(t);
    await given.create({ trigger_type: "user", trigger_filters: [] });
    await given.send([spend("m1", 1)]);
    await given.round();
    given.pass(3 * DAY_MS);
    const [old, kept] = [given.now() - 2 * DAY_MS, given.now() - 30 * DAY_MS];
    await purgeAlertRows(given.store, { firingsBeforeMs: kept, minutesBeforeMs: old, walletsBeforeMs: old });
    await given.send([spend("m2", 1)]);
    await given.round();
    const ids = (await given.told()).map(({ id }) => id);
    assert.equal(new Set(ids).size, 2);
  });

  test("of many wallets each is told once by each alert, also after a crash in the midst of them", async (t) => {
    const given = await use(t);
    const [one, two] = [
      await given.create({ trigger_type: "user", trigger_filters: [] }),
      await given.create({ trigger_type: "user", trigger_filters: [{ field: "revenue", op: "gte", value: "2" }] }),
    ];
    const addresses = Array.from({ length: 450 }, (_, nth) => `0x${String(nth).padStart(40, "0")}`);
    await given.send(addresses.map((address, nth) => spend(`m${nth}`, nth % 2 === 0 ? 1 : 2, { address })));
    const parts = new Set<string>();
    const failing = failAt(given.engine, (params) => {
      for (const value of Object.values(params))
        if (Array.isArray(value) && String(value[0]).startsWith("0x"))
          parts.add(String((value as string[]).toSorted()));
      return parts.size > 1;
    });
    await assert.rejects(given.again(failing).round(new AbortController().signal), /broken/);
    const countOf = async (id: string) =>
      (await given.store.read.selectFrom("alert_wallets").select("address").where("alert_id", "=", id).execute())
        .length;
    assert.equal(await countOf(one), 200, "the first transaction");
    given.restart();
    await given.round();
    given.pass(ALERT_LIMITS.stormMinutes * MINUTE_MS);
    await given.round();
    for (const [id, wallets] of [
      [one, 450],
      [two, 225],
    ] as const) {
      assert.equal(await countOf(id), wallets);
      const rows = await given.store.read
        .selectFrom("alert_firings")
        .select("count")
        .where("alert_id", "=", id)
        .execute();
      assert.equal(
        rows.reduce((sum, { count }) => sum + Number(count), 0),
        wallets,
      );
      assert.equal(rows.length, ALERT_LIMITS.items + 1);
    }
  });

  test("texts of a profile are compared: where it came from, its labels and its names", async (t) => {
    const given = await use(t);
    const filters = [
      { field: "utm_source", value: "news" },
      { field: "labels", value: "vip" },
      { field: "socials", op: "startsWith", value: "ada." },
      { field: "lifecycle", value: "New" },
      { field: "chains", op: "eq", value: "1" },
    ];
    await given.create({ trigger_type: "user", trigger_filters: filters });
    const common = { project_id: given.projectId, address: ADDRESS, changed_ms: 1, is_deleted: 0 } as const;
    await given.engine.writeWallets({
      properties: [{ ...common, name: "ens", value: "ada.eth" }],
      labels: [{ ...common, tag_id: "vip", chain_id: "", value: "", source: "import" }],
    });
    await given.send([spend("m1", 1, { utm_source: "news", chain_id: "1", session_id: "s", has_touch: 1 })]);
    await given.round();
    assert.equal((await given.told()).length, 1);
  });
});
