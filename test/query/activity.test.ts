import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ActivityQuery } from "../../src/contract/activity.ts";
import { createHasher } from "../../src/engines/event-hashes.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { IS_LONG, SEED } from "../../src/lib/testing.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { findActivity, listActivity, readActivity } from "../../src/query/activity/activity.ts";
import { findPosition } from "../../src/query/activity/position.ts";
import type { ReportOwner } from "../../src/query/report/question.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { startClickhouseEngine } from "../support/clickhouse-engine.ts";
import { startLocalEngine } from "../support/local-engine.ts";
import { whyNoClickHouse } from "../support/platform.ts";
import { createRandom, generateEvents, generateQuery } from "./generate.ts";
import { withPeople } from "./generate-people.ts";
import { meetsEventFilters, meetsSessionFilters, type OracleEvent, type OracleQuery, textOf } from "./oracle.ts";
import { resolvePeople } from "./oracle-people.ts";
import { createEventStore, toRow } from "./store-rows.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");
const DAYS = ["2026-02-01", "2026-03-01", "2026-03-04", "2026-03-05", "2026-03-06"];
const SETS = 2;
const QUERIES = 8;

interface Item {
  id: string;
  project_id: string;
  message_id: string;
  timestamp: string;
  [column: string]: unknown;
}

interface Question {
  projects: string[];
  from: string;
  to: string;
  filters: OracleQuery["filters"];
  type?: string;
  address?: string;
  anonymous_id?: string;
}

function createReader(engine: AnalyticsEngine) {
  const slots = createQuerySlots({ running: 4, waiting: 0, waitMs: 1 });
  const run = createRunLookup({ engine, clock: { nowMs: () => NOW_MS }, slots });
  const { signal } = new AbortController();
  return {
    async page(owner: ReportOwner, query: Partial<ActivityQuery>) {
      const read = readActivity({ limit: 50, ...query }, NOW_MS);
      assert.ok(read.ok, JSON.stringify(query));
      const { items, nextCursor } = await run(listActivity(read.value), owner, signal);
      return { items: items.map((text) => JSON.parse(text) as Item), nextCursor };
    },
    async one(owner: ReportOwner, id: string): Promise<Item | undefined> {
      const position = findPosition(id) ?? assert.fail(id);
      const text = await run(findActivity(position), owner, signal);
      return text === undefined ? undefined : (JSON.parse(text) as Item);
    },
  };
}

const ownerOf = (projects: readonly string[], retentionDays: number | null = null): ReportOwner => ({
  workspaceId: "w",
  projects: projects.map((id) => ({ id, excludeBots: false, retentionDays })),
});

const hash = createHasher();

function keyOf({ project_id, day, message_id }: OracleEvent): bigint {
  const none = { day: 0, sessionId: "", anonymousId: "", userId: "", address: "" };
  return hash({ projectId: project_id, dedupeDay: day, messageId: message_id, ...none }).dedupe_key;
}

const idOf = (event: OracleEvent) => `${event.timestamp}-${keyOf(event)}`;

/** Newest first: by time, then by the dedupe key as a number. */
function expected(events: readonly OracleEvent[], { projects, from, to, ...question }: Question): OracleEvent[] {
  const [start, end] = [Date.parse(from), Date.parse(to) + DAY_MS];
  const { type, address, anonymous_id } = question;
  return events
    .filter(({ project_id, timestamp }) => projects.includes(project_id) && timestamp >= start && timestamp < end)
    .filter((event) => meetsEventFilters(question, event))
    .filter((event) => meetsSessionFilters(question, (field) => textOf(event, field)))
    .filter((event) => type === undefined || event.type === type)
    .filter((event) => address === undefined || event.address === address.toLowerCase() || event.address === address)
    .filter((event) => anonymous_id === undefined || event.anonymous_id === anonymous_id)
    .sort((a, b) => b.timestamp - a.timestamp || (keyOf(a) < keyOf(b) ? 1 : -1));
}

function generateSet(random: ReturnType<typeof createRandom>, projects: string[]) {
  const byKey = new Map<string, OracleEvent>();
  for (const event of generateEvents(random, { projects, days: DAYS, count: 300 })) {
    const key = JSON.stringify([event.project_id, event.day, event.message_id]);
    if (!byKey.has(key)) byKey.set(key, event);
  }
  return [...byKey.values()];
}

/** Reads all pages while more events are stored between them, and compares them with the oracle. */
async function comparePaging(engine: AnalyticsEngine, sets: number, queries: number): Promise<void> {
  const reader = createReader(engine);
  for (let set = 0; set < sets; set += 1) {
    const random = createRandom(SEED + set);
    const projects = ["a", "b"].map((name) => `${name}-activity-${set}`);
    const all = generateSet(random, projects);
    const store = await createEventStore(engine, `activity-${set}`);
    let stored = all.splice(0, 200);
    await store(stored.map(toRow));
    for (let nth = 0; nth < queries; nth += 1) {
      const made = generateQuery(random, { projects, days: DAYS, events: stored });
      const some = random.pick(stored);
      const question: Question = {
        projects: random.chance(0.7) ? projects : projects.slice(0, 1),
        from: made.from,
        to: made.to,
        ...withPeople(random, { events: stored }, { filters: random.chance(0.5) ? [] : made.filters }),
        ...(random.chance(0.2) ? { type: some.type } : {}),
        ...(random.chance(0.2) ? { address: some.address.toUpperCase().replace("0X", "0x") } : {}),
        ...(random.chance(0.1) ? { anonymous_id: some.anonymous_id } : {}),
      };
      const { projects: asked, from, to, filters, ...fields } = question;
      const query = { date_from: from, date_to: to, filters: JSON.stringify(filters), ...fields };
      const about = `seed ${SEED}, set ${set}, query ${nth}: ${JSON.stringify(question)}`;
      const given: string[] = [];
      const asksPeople = filters.some(({ field }) => field === "events");
      const shown = () => expected(stored, resolvePeople(stored, question, NOW_MS));
      let left = shown();
      for (let cursor: string | undefined, pages = 0; ; pages += 1) {
        const limit = random.pick([20, 50, 200]);
        const page = await reader.page(ownerOf(asked), {
          ...query,
          limit,
          ...(cursor === undefined ? {} : { cursor }),
        });
        const wanted = left.slice(0, limit);
        assert.deepEqual(
          page.items.map(({ id }) => id),
          wanted.map(idOf),
          about,
        );
        assert.equal(page.nextCursor !== undefined, left.length > limit, about);
        given.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
        if (cursor === undefined) break;
        // An event more may make one more of the people, whose earlier events would be behind the cursor.
        const more = pages < 2 && !asksPeople ? all.splice(0, 1) : [];
        await store(more.map(toRow));
        stored = [...stored, ...more];
        // What comes next is what lies behind the cursor now, also of what was stored meanwhile.
        const last = wanted.at(-1) ?? assert.fail(about);
        const whole = shown();
        left = whole.slice(whole.indexOf(last) + 1);
      }
      assert.equal(new Set(given).size, given.length, `no event twice, ${about}`);
    }
  }
}

const BLANK: OracleEvent = generateEvents(createRandom(1), {
  projects: ["p"],
  days: ["2026-03-05"],
  count: 1,
})[0] as never;

describe("the activity", () => {
  let local: Awaited<ReturnType<typeof startLocalEngine>>;
  let reader: ReturnType<typeof createReader>;
  before(async () => {
    local = await startLocalEngine();
    reader = createReader(local.engine);
  });
  after(() => local.stop());

  const storeAs = async (name: string, rows: readonly Record<string, string | number>[]) =>
    (await createEventStore(local.engine, name))(rows.map((row) => ({ ...toRow(BLANK), ...row })));

  test(`pages of ${SETS * QUERIES} generated queries match the oracle while events arrive`, async () => {
    await comparePaging(local.engine, SETS, QUERIES);
  });

  test("bodies up to 8,192 characters are in the list, longer ones in the event itself", async () => {
    const bodyOf = (length: number) => JSON.stringify({ text: "é".repeat(length - '{"text":""}'.length) });
    const common = { project_id: "bodies", timestamp: NOW_MS, dedupe_day: "2026-03-05", extra: '{"x":1}' };
    await storeAs("bodies", [
      { ...common, message_id: "fits", properties: bodyOf(8_192), context: '{"locale":"de"}' },
      { ...common, message_id: "long", properties: bodyOf(8_193), context: bodyOf(200_000) },
    ]);
    const owner = ownerOf(["bodies"]);
    const { items } = await reader.page(owner, {});
    const byName = new Map(items.map((item) => [item.message_id, item]));
    const [fits, long] = [byName.get("fits"), byName.get("long")];
    assert.deepEqual([fits?.omitted, fits?.locale, fits?.extra], [[], "de", { x: 1 }]);
    assert.deepEqual([long?.omitted, long?.properties, long?.context], [["context", "properties"], null, null]);
    const whole = await reader.one(owner, String(long?.id));
    assert.deepEqual([whole?.omitted, JSON.stringify(whole?.context).length], [[], 200_000]);
    assert.equal(await reader.one(ownerOf(["others"]), String(long?.id)), undefined);
  });

  test("a session is found by the answered id and by the client's own", async () => {
    const common = { project_id: "sessions", timestamp: NOW_MS, dedupe_day: "2026-03-05", anonymous_id: "v" };
    await storeAs("sessions", [
      { ...common, message_id: "1", session_id: "own" },
      { ...common, message_id: "2", session_id: "" },
    ]);
    const ask = async (query: Partial<ActivityQuery>) =>
      (await reader.page(ownerOf(["sessions"]), query)).items.map(({ message_id }) => message_id);
    const { items } = await reader.page(ownerOf(["sessions"]), {});
    for (const { session_id, message_id } of items)
      assert.deepEqual(await ask({ session_id: String(session_id) }), [message_id]);
    assert.deepEqual(await ask({ session_id: "own" }), ["1"]);
    assert.deepEqual(await ask({ message_id: "2" }), ["2"]);
    assert.deepEqual(await ask({ session_id: "99999999999999999999" }), []);
  });

  test("events before the retention of a project are not shown, in no list and not by their id", async () => {
    const at = (day: string) => ({ timestamp: Date.parse(`${day}T10:00:00Z`), dedupe_day: day, message_id: day });
    await storeAs(
      "kept",
      [at("2026-03-01"), at("2026-03-04")].map((row) => ({ project_id: "kept", ...row })),
    );
    const all = await reader.page(ownerOf(["kept"]), {});
    assert.equal(all.items.length, 2);
    const kept = await reader.page(ownerOf(["kept"], 2), {});
    assert.deepEqual(
      kept.items.map(({ message_id }) => message_id),
      ["2026-03-04"],
    );
    assert.equal(await reader.one(ownerOf(["kept"], 2), String(all.items[1]?.id)), undefined);
  });

  test("two events under one forged key are both answered", async () => {
    // The engine reads the keys of rows as they are: here they are made equal afterwards.
    const common = { project_id: "forged", dedupe_day: "2026-03-05" };
    await storeAs("forged", [
      { ...common, message_id: "1", timestamp: NOW_MS },
      { ...common, message_id: "2", timestamp: NOW_MS - 1 },
    ]);
    await local.run("UPDATE events SET dedupe_key = 7 WHERE project_id = 'forged'");
    const first = await reader.page(ownerOf(["forged"]), { limit: 1 });
    const second = await reader.page(ownerOf(["forged"]), { limit: 1, cursor: first.nextCursor ?? "" });
    assert.deepEqual(
      [...first.items, ...second.items].map(({ message_id }) => message_id),
      ["1", "2"],
    );
  });

  test("the newest page of a busy project reads an hour: its statements have that bound", async () => {
    const asked: unknown[] = [];
    const { engine } = local;
    const spy: typeof engine = {
      ...engine,
      select: (sql, options) => {
        asked.push(options?.params);
        return engine.select(sql, options);
      },
    };
    const common = { project_id: "busy", dedupe_day: "2026-03-05" };
    await storeAs(
      "busy",
      Array.from({ length: 60 }, (_, n) => ({ ...common, message_id: `${n}`, timestamp: NOW_MS - n * 30_000 })),
    );
    const { items } = await createReader(spy).page(ownerOf(["busy"]), {});
    assert.equal(items.length, 50);
    assert.equal(asked.length, 2);
    assert.equal((asked[0] as { from_ms: number }).from_ms, NOW_MS - 3_600_000);
  });

  test("a search that takes long ends its page early, and the next page continues there", async (t) => {
    const project = "slow";
    await storeAs("slow", [
      {
        project_id: project,
        dedupe_day: "2026-03-04",
        message_id: "old",
        timestamp: Date.parse("2026-03-02T12:00:00Z"),
      },
    ]);
    let elapsed = 0;
    t.mock.method(performance, "now", () => (elapsed += 2_000));
    const pages: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await reader.page(ownerOf([project]), cursor === undefined ? {} : { cursor });
      pages.push(page.items.length);
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    assert.ok(pages.length > 1, "pages ended early");
    assert.equal(
      pages.reduce((sum, count) => sum + count),
      1,
    );
  });
});

test("pages of ClickHouse match the oracle while events arrive", { skip: whyNoClickHouse() ?? false }, async (t) => {
  const { engine, stop } = await startClickhouseEngine();
  // A page ends early after two seconds, and an emulated engine takes that long.
  t.mock.method(performance, "now", () => 0);
  try {
    await comparePaging(engine, 1, IS_LONG ? 3 : 1);
  } finally {
    await stop();
  }
});
