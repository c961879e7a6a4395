import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { ALERT_LIMITS } from "../../src/contract/alerts.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/lib/time.ts";
import { BOTH_IN_LONG, type StartedEngine } from "../support/both-engines.ts";
import { useEvaluator } from "./use-evaluator.ts";

const START = Date.UTC(2026, 2, 10, 12, 0, 30);
const buy = (message_id: string, more = {}) => ({ message_id, event: "buy", ...more });
const BUYS = [{ field: "event", value: "buy" }];

for (const kind of BOTH_IN_LONG)
  describe(`event alerts on ${kind.name}`, { skip: kind.skip }, () => {
    let started: StartedEngine;
    before(async () => {
      started = await kind.start();
    });
    after(() => started.stop());
    const use = async (t: TestContext) => {
      const given = await useEvaluator(started.engine, "sqlite", START);
      t.after(() => given.stop());
      return given;
    };

    test("a match is told once, with the whole event; a look again, a restart and a second worker tell nothing", async (t) => {
      const given = await use(t);
      const id = await given.create({ trigger_filters: BUYS, secret: "s" });
      given.pass(SECOND_MS);
      await given.send([buy("m1", { properties: '{"amount":5}', revenue: 2 }), { message_id: "m2", event: "view" }]);
      assert.equal(await given.round(), 2);
      const [told, ...rest] = await given.told();
      assert.equal(rest.length, 0);
      assert.equal(told?.type, "alert.event.triggered");
      assert.match(told?.id ?? "", /^evt_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      const [item] = told?.data ?? [];
      assert.equal(item?.project_id, given.projectId);
      assert.deepEqual([item?.event, item?.properties, item?.revenue], ["buy", { amount: 5 }, 2]);
      assert.equal(await given.round(), 0);
      given.restart();
      await given.round();
      await given.again().round(new AbortController().signal);
      assert.deepEqual(await given.ids(), ["m1"]);
      assert.equal((await given.find(id)).lastFiredAtMs, given.now());
    });

    test("an event that is stored long after its receipt is told by a longer look, in the minute of others", async (t) => {
      const given = await use(t);
      await given.create({ trigger_filters: BUYS });
      const early = given.now() + SECOND_MS;
      given.pass(2 * SECOND_MS);
      await given.send([buy("m1"), buy("m2")], { receivedMs: early });
      await given.round();
      given.pass(3 * HOUR_MS);
      await given.send([buy("late")], { receivedMs: early });
      given.restart();
      await given.round();
      assert.deepEqual(await given.ids(), ["late", "m1", "m2"]);
    });

    test("of a storm the first are told and the others counted, also where a minute is read again and the day is spent", async (t) => {
      const given = await use(t);
      const id = await given.create({ trigger_filters: BUYS });
      // All but five of the day's items are told.
      const set = { day_at: given.now(), day_items: ALERT_LIMITS.itemsPerDay - 5 };
      await given.store.write((tx) => tx.updateTable("alerts").set(set).where("id", "=", id).execute());
      await given.send(Array.from({ length: 8 }, (_, nth) => buy(`a${nth}`)));
      await given.round();
      // Of the same minute; whoever starts now reads all of it again.
      given.pass(SECOND_MS);
      await given.send([buy("b0"), buy("b1")]);
      given.restart();
      await given.round();
      given.pass(ALERT_LIMITS.longStormMinutes * MINUTE_MS);
      await given.round();
      const told = await given.told();
      assert.equal((await given.ids()).length, 5);
      assert.deepEqual(
        told.flatMap(({ count }) => count ?? []),
        [5],
      );
    });
  });
