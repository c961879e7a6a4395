import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { FIELD_NAMES, FILTER_FIELDS } from "../../src/contract/filter-fields.ts";
import { EngineBusy } from "../../src/engines/failures.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { ONLY_LONG, SEED } from "../../src/lib/testing.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { MARGINS } from "../../src/materialize/margins.ts";
import { createRunLookup } from "../../src/query/run/run-lookup.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { listProperties, readProperties } from "../../src/query/values/properties.ts";
import { listValues, readValues } from "../../src/query/values/values.ts";
import { startClickhouseEngine } from "../support/clickhouse-engine.ts";
import { startLocalEngine } from "../support/local-engine.ts";
import { whyNoClickHouse } from "../support/platform.ts";
import { addTies } from "./compare.ts";
import { createRandom, generateEvents, makeFilters } from "./generate.ts";
import { withPeople } from "./generate-people.ts";
import {
  codesOf,
  compareBytes,
  isAskedSession,
  meetsEventFilters,
  type OracleEvent,
  type OracleFilter,
  propertyText,
  sessionsOf,
  textOf,
} from "./oracle.ts";
import { resolvePeople } from "./oracle-people.ts";
import { createEventStore, toRow } from "./store-rows.ts";

const NOW_MS = Date.parse("2026-03-05T12:00:00Z");
const DAYS = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"];
const TEXT_FIELDS: readonly string[] = FIELD_NAMES.filter((name) => FILTER_FIELDS[name].kind === "text");

interface Question {
  field: string;
  search: string;
  prefix: string;
  projects: string[];
  excludeBots: string[];
  from: string;
  to: string;
  limit: number;
  filters: OracleFilter[];
}

/** Sessions under the value of their first touch, or events under their own. */
function expected(events: readonly OracleEvent[], question: Question, property?: (event: OracleEvent) => string) {
  const { field, search, prefix, excludeBots, limit } = question;
  const ofSession = FILTER_FIELDS[field as keyof typeof FILTER_FIELDS].level === "session";
  const asked = { ...question, excludeBots: [] };
  const sessions = sessionsOf(events, question).filter((session) => isAskedSession(asked, session));
  const counted = sessions.flatMap((session) => {
    const found = session.events.filter((event) => meetsEventFilters(question, event));
    if (!ofSession) return found;
    return found.length === 0 ? [] : [session.firstTouch];
  });
  const counts = new Map<string, number>();
  for (const event of counted) {
    if (excludeBots.includes(event.project_id) && event.device === "bot") continue;
    for (const stored of field === "builder_codes" ? codesOf(event) : [property?.(event) ?? textOf(event, field)]) {
      const value = field === "referrer" && stored === "" ? "Direct" : stored;
      const lower = value.toLowerCase();
      if (value !== "" && lower.includes(search.toLowerCase()) && lower.startsWith(prefix.toLowerCase()))
        counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  const data = [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || compareBytes(a.value, b.value));
  return {
    field,
    counts: ofSession ? "sessions" : "events",
    data: data.slice(0, limit),
    has_more: data.length > limit,
  };
}

/** Events that have a key, and its value in the newest of them; of one millisecond, that with the greatest text. */
function expectedProperties(events: readonly OracleEvent[], question: Question, type: string, event: string) {
  const { projects, excludeBots, from, to, limit } = question;
  const found = new Map<string, OracleEvent[]>();
  for (const one of events) {
    if (!projects.includes(one.project_id) || (excludeBots.includes(one.project_id) && one.device === "bot")) continue;
    if (one.timestamp < Date.parse(from) || one.timestamp >= Date.parse(to) + DAY_MS) continue;
    if ((type !== "" && one.type !== type) || (event !== "" && one.event !== event)) continue;
    for (const key of Object.keys(one.properties ?? {})) {
      if (key !== "" && key.length <= 256) found.set(key, [...(found.get(key) ?? []), one]);
    }
  }
  const data = [...found].map(([name, own]) => {
    const textOfAll = ({ properties }: OracleEvent) => JSON.stringify(properties);
    const [newest] = own.toSorted((a, b) => b.timestamp - a.timestamp || compareBytes(textOfAll(b), textOfAll(a)));
    const example = newest === undefined ? "" : Array.from(propertyText(newest, name)).slice(0, 100).join("");
    return { name, count: own.length, example };
  });
  data.sort((a, b) => b.count - a.count || compareBytes(a.name, b.name));
  return { data: data.slice(0, limit), has_more: data.length > limit };
}

function expectedPropertyValues(events: readonly OracleEvent[], question: Question, key: string) {
  return {
    ...expected(events, { ...question, field: "event" }, (event) => propertyText(event, key)),
    field: `properties.${key}`,
  };
}

/** All partitions dirty, some clean, all past ones clean, and dirty again by late events. */
async function compareValues(engine: AnalyticsEngine, queries: number, days: readonly string[] = DAYS): Promise<void> {
  const random = createRandom(SEED);
  const projects = ["a-values", "b-values"];
  const byKey = new Map<string, OracleEvent>();
  for (const event of generateEvents(random, { projects, days: [...days], count: 80 * days.length })) {
    const key = JSON.stringify([event.project_id, event.day, event.message_id]);
    if (!byKey.has(key)) byKey.set(key, event);
  }
  const all = [...byKey.values()];
  addTies(all);
  const slots = createQuerySlots({ running: 4, waiting: 0, waitMs: 1 });
  const run = createRunLookup({ engine, clock: { nowMs: () => NOW_MS }, slots });
  const store = await createEventStore(engine, "values");
  const { signal } = new AbortController();
  const materialize = async (most: number) => {
    const dirty = await engine.maintenance.listDirty(NOW_MS + MARGINS.quietMs, projects.slice(0, 1));
    await engine.maintenance.materialize(
      dirty.filter(({ project_id }) => projects.includes(project_id)).slice(0, most),
      signal,
    );
  };
  const late = all.splice(0, 30);
  const states = [
    async () => store(all.map(toRow)),
    () => materialize(days.length - 1),
    () => materialize(100),
    async () => {
      await store(late.map(toRow));
      all.push(...late);
    },
  ];
  for (const [nth, act] of states.entries()) {
    await act();
    for (let asked = 0; asked < queries; asked += 1) {
      const field = TEXT_FIELDS[(asked + nth * queries) % TEXT_FIELDS.length] ?? "";
      const some = textOf(random.pick(all), field);
      const first = random.int(days.length);
      const question: Question = {
        field,
        search: random.chance(0.5)
          ? ""
          : random.pick([some, some.toUpperCase(), some.slice(1, 4).toWellFormed(), "e", "%", "_", "nope"]),
        prefix: random.chance(0.7) ? "" : random.pick([some.slice(0, 2).toWellFormed(), some.toUpperCase(), "%", "/"]),
        projects: random.chance(0.7) ? projects : projects.slice(0, 1),
        excludeBots: random.chance(0.3) ? projects.slice(0, 1) : [],
        from: days[first] ?? "",
        to: days[first + random.int(days.length - first)] ?? "",
        limit: random.pick([1, 5, 100, 1000]),
        ...(random.chance(0.4)
          ? withPeople(random, { events: all, people: 0.3 }, { filters: makeFilters(random, all, all) })
          : { filters: [] }),
      };
      const { projects: ids, excludeBots, from, to, search, prefix, limit } = question;
      const filters = JSON.stringify(question.filters);
      const read = readValues({ field, search, prefix, date_from: from, date_to: to, filters, limit }, NOW_MS);
      const about = `seed ${SEED}, state ${nth}: ${JSON.stringify(question)}`;
      assert.ok(read.ok, about);
      const owner = {
        workspaceId: "w",
        projects: ids.map((id) => ({ id, excludeBots: excludeBots.includes(id), retentionDays: null })),
      };
      const resolved = resolvePeople(all, question, NOW_MS);
      assert.deepEqual(await run(listValues(read.value), owner, signal), expected(all, resolved), about);
      // Properties are read from events, whatever is clean or dirty.
      if (nth > 0) continue;
      const { type, event, properties = {} } = random.pick(all);
      const [asksType, asksEvent] = [random.chance(0.4) ? type : "", random.chance(0.4) ? event : ""];
      const listed = readProperties({ type: asksType, event: asksEvent, date_from: from, date_to: to, limit }, NOW_MS);
      assert.ok(listed.ok, about);
      const wanted = expectedProperties(all, question, asksType, asksEvent);
      assert.deepEqual(
        await run(listProperties(listed.value), owner, signal),
        wanted,
        `${about}, ${asksType} ${asksEvent}`,
      );

      const key = Object.keys(properties)[0] ?? "nope";
      const ofKey = readValues(
        { field: `properties.${key}`, search, prefix, date_from: from, date_to: to, filters, limit },
        NOW_MS,
      );
      assert.ok(ofKey.ok, about);
      assert.deepEqual(
        await run(listValues(ofKey.value), owner, signal),
        expectedPropertyValues(all, resolved, key),
        `${about}, ${key}`,
      );
    }
  }
}

describe("the values of a field", () => {
  let local: Awaited<ReturnType<typeof startLocalEngine>>;
  before(async () => {
    local = await startLocalEngine({ nowMs: () => NOW_MS });
  });
  after(() => local.stop());

  test("generated queries match the oracle, from rollups, sessions and events", async () => {
    await compareValues(local.engine, 25);
  });

  test("fields that hold numbers, and unknown ones, are refused with the list of fields", () => {
    for (const field of ["volume", "nope", "__proto__", "", "properties.", `properties.${"k".repeat(257)}`]) {
      const read = readValues({ field, limit: 100 }, NOW_MS);
      assert.ok(!read.ok);
      assert.match(
        read.failures.get("query.field") ?? "",
        /^must be one of device, .*, address, or properties\.<name>, /,
      );
    }
  });

  test("a search that takes too long is a 503 that says what helps", async () => {
    const slow = { ...local.engine, select: () => Promise.reject(new EngineBusy("late")) };
    const slots = createQuerySlots({ running: 4, waiting: 0, waitMs: 1 });
    const run = createRunLookup({ engine: slow, clock: { nowMs: () => NOW_MS }, slots });
    const read = readValues({ field: "page", limit: 100 }, NOW_MS);
    assert.ok(read.ok);
    const owner = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
    await assert.rejects(run(listValues(read.value), owner, new AbortController().signal), {
      code: "SERVICE_UNAVAILABLE",
      message: /choose fewer days/,
    });
  });
});

test("values of ClickHouse match the oracle", { skip: whyNoClickHouse() ?? ONLY_LONG }, async () => {
  const { engine, stop } = await startClickhouseEngine({ nowMs: () => NOW_MS });
  try {
    // Yesterday and today: each further day is materialized in 5 s where ClickHouse is emulated.
    await compareValues(engine, 1, DAYS.slice(-2));
  } finally {
    await stop();
  }
});
