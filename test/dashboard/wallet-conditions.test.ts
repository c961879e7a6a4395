import assert from "node:assert/strict";
import { test } from "node:test";
import { eventsByDay } from "../../dashboard/src/pages/wallets/by-session.ts";
import {
  conditionText,
  conditionWords,
  FIELD_MENU,
  LABEL,
  operatorsOf,
  parseCondition,
  searchFilter,
  segmentFilters,
  type WalletCondition,
  whyNoSegment,
} from "../../dashboard/src/pages/wallets/conditions.ts";
import { takesValue } from "../../dashboard/src/state/filters.ts";
import { readSearchBody } from "../../src/profiles/read-conditions.ts";

const VALUES: Readonly<Record<string, string>> = { lifecycle: "Churned", location: "DE" };
const everyCondition = (): WalletCondition[] =>
  FIELD_MENU.flatMap(([, fields]) =>
    fields.flatMap((field) =>
      operatorsOf(field).map((op) => ({
        field,
        op,
        value: takesValue(op) ? (VALUES[field] ?? "12.5") : "",
        ...(field === LABEL ? { tag: "a.b tier" } : {}),
      })),
    ),
  );

test("a search takes every field and operator that the page offers", () => {
  const all = everyCondition();
  assert.ok(all.length > 100, `${all.length} conditions`);
  for (const condition of all) {
    const failures = new Map<string, string>();
    readSearchBody({ filters: [searchFilter(condition)] }, failures);
    assert.deepEqual([...failures], [], conditionText(condition));
  }
});

test("a condition is the same after its text in the URL, also with dots and bars in it", () => {
  for (const condition of everyCondition()) assert.deepEqual(parseCondition(conditionText(condition)), condition);
  const many = { field: "first_channel", op: "in", value: "Direct|a.b" } as const;
  assert.deepEqual(parseCondition(conditionText(many)), many);
  assert.deepEqual(searchFilter(many).value, ["Direct", "a.b"]);
  for (const text of [
    "",
    "revenue",
    "revenue.gte",
    "revenue.gte.x",
    "net_worth_usd.gt.1",
    "lifecycle.neq.New",
    "label:.eq.a",
  ])
    assert.equal(parseCondition(text), undefined, text);
});

test("conditions are said in words", () => {
  const words = ["revenue.gte.100", "label:tier.eq.gold", "location.in.DE|US", "last_utm_source.notEmpty"].map(
    (text) => {
      const condition = parseCondition(text);
      return condition === undefined ? "" : conditionWords(condition);
    },
  );
  assert.deepEqual(words, [
    "Revenue is at least 100",
    "Label tier is gold",
    "Country is one of Germany, United States",
    "Last UTM source is set",
  ]);
});

test("only conditions that mean the same of sessions become a segment", () => {
  const read = (texts: readonly string[]) => texts.flatMap((text) => parseCondition(text) ?? []);
  assert.deepEqual(segmentFilters(read(["first_channel.eq.Direct", "location.in.DE|US"]), "and"), [
    { field: "channel", op: "eq", value: "Direct" },
    { field: "location", op: "in", value: ["DE", "US"] },
  ]);
  const ofWallets = ["revenue.gte.1", "lifecycle.eq.New", "label:a.eq.b", "last_channel.eq.Direct", "ens.notEmpty"];
  for (const text of ofWallets) assert.equal(segmentFilters(read([text, "location.eq.DE"]), "and"), undefined, text);
  assert.equal(segmentFilters([], "and"), undefined);
  assert.equal(segmentFilters(read(["location.eq.DE", "os.eq.ios"]), "or"), undefined);
  assert.equal(whyNoSegment(read(["location.eq.DE"]), "and"), undefined);
  assert.equal(whyNoSegment(read(["location.eq.DE", "os.eq.ios"]), "or"), "A segment keeps conditions that all hold.");
  assert.match(whyNoSegment(read(["location.eq.DE", "revenue.gt.1"]), "and") ?? "", /; Revenue is of the wallet/);
});

test("a timeline has its events by day and session, and a session that is interrupted stays whole", () => {
  const event = (id: string, timestamp: string, session_id: string) => ({ id, timestamp, session_id });
  const days = eventsByDay([
    event("4", "2026-03-02T00:10:00Z", "a"),
    event("3", "2026-03-01T23:50:00Z", "a"),
    event("2", "2026-03-01T23:40:00Z", "b"),
    event("1", "2026-03-01T23:30:00Z", "a"),
  ]);
  assert.deepEqual(
    days.map(({ day, sessions }) => [
      day,
      sessions.map(({ session, events }) => [session, events.map(({ id }) => id)]),
    ]),
    [
      ["2026-03-02", [["a", ["4"]]]],
      [
        "2026-03-01",
        [
          ["a", ["3", "1"]],
          ["b", ["2"]],
        ],
      ],
    ],
  );
});
