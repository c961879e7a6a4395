import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { selectIdentities } from "../../src/query/profiles/select-identities.ts";
import { selectProfiles } from "../../src/query/profiles/select-profiles.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { BOTH_IN_LONG } from "../support/both-engines.ts";
import { materializeAll } from "../support/visits.ts";

type Given = Readonly<Record<string, string | number>>;

const NOON = "T12:00:00Z";
let made = 0;

/** A page view of project p, and what the test says of it. */
function view(day: string, given: Given) {
  made += 1;
  return {
    ...BLANK_ROW,
    project_id: "p",
    dedupe_day: day,
    message_id: `m${made}`,
    timestamp: Date.parse(`${day}${NOON}`) + made,
    type: "page",
    acquisition: "Direct",
    origin: "app.example",
    has_touch: 1,
    ...given,
  };
}

const { signal } = new AbortController();
const ada = { anonymous_id: "ada" };
const profilesOf = async (engine: AnalyticsEngine) =>
  new Map(
    (await selectProfiles(engine, "p", { limit: 100 }, signal)).map((profile) => [profile.address, profile] as const),
  );

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`identity on ${name}`, { skip }, () => {
    test("a campaign counts for every wallet that its visitor connects within 30 days, and for no other", async () => {
      const { engine, stop } = await start();
      try {
        await engine.importRows("events", [
          view("2026-03-01", { ...ada, utm_source: "spring", acquisition: "Email" }),
          view("2026-03-02", { anonymous_id: "bob", utm_source: "other", acquisition: "Email" }),
          view("2026-03-31", { ...ada, address: "0x1" }),
          view("2026-03-31", { ...ada, address: "0x2", utm_source: "later", acquisition: "Email", session_id: "s" }),
          view("2026-04-01", { ...ada, address: "0x3" }),
        ]);
        const check = async () => {
          const found = await profilesOf(engine);
          const touches = [...found.values()].map((one) => [one.address, one.first_utm_source, one.last_utm_source]);
          assert.deepEqual(touches, [
            ["0x1", "spring", "later"],
            ["0x2", "spring", "later"],
            // Its first session within 30 days came directly.
            ["0x3", "", "later"],
          ]);
        };
        await check();
        await materializeAll(engine);
        await check();
        await engine.importRows("events", [view("2026-03-15", { ...ada, referrer: "x.com" })]);
        const found = await profilesOf(engine);
        assert.equal(found.get("0x3")?.first_referrer, "x.com");
        assert.equal(found.get("0x1")?.first_utm_source, "spring");
      } finally {
        await stop();
      }
    });

    test("wallets are not merged: a list says with which visitors, users and wallets one was seen", async () => {
      const { engine, stop } = await start();
      try {
        await engine.importRows("events", [
          view("2026-03-01", { ...ada, address: "0x1" }),
          view("2026-03-02", { ...ada, address: "0x2", user_id: "u" }),
          view("2026-03-02", { ...ada, address: "0x2", user_id: "u" }),
          view("2026-03-03", { ...ada }),
          view("2026-03-03", { anonymous_id: "bob", address: "0x3", user_id: "u" }),
          view("2026-03-03", { ...ada, address: "0x4", project_id: "q" }),
        ]);
        const seenWith = async (address: string) =>
          (await selectIdentities(engine, "p", address, signal)).map((one) => [
            one.anonymous_id,
            one.user_id,
            one.address,
            one.events,
          ]);
        const ofAda = [
          ["ada", "u", "0x2", 2],
          ["ada", "", "0x1", 1],
        ];
        for (const isClean of [false, true]) {
          if (isClean) await materializeAll(engine);
          assert.deepEqual(await seenWith("0x1"), ofAda);
          assert.deepEqual(await seenWith("0x2"), ofAda);
          assert.deepEqual(await seenWith("0x3"), [["bob", "u", "0x3", 1]]);
          assert.deepEqual(await seenWith("0x4"), []);
        }
        const found = await profilesOf(engine);
        assert.deepEqual([...found.keys()], ["0x1", "0x2", "0x3"]);
        assert.deepEqual([found.get("0x1")?.user_id, found.get("0x2")?.user_id], ["", "u"]);
      } finally {
        await stop();
      }
    });
  });
