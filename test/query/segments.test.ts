import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { REPORT_NAMES } from "../../src/contract/reports.ts";
import type { SegmentFilter } from "../../src/contract/segments.ts";
import { createFindSegment, createSegment, deleteSegment } from "../../src/control/segments.ts";
import { createProject, createWorkspace } from "../../src/control/tenants.ts";
import { newId } from "../../src/lib/ids.ts";
import { IS_LONG, SEED, sampled } from "../../src/lib/testing.ts";
import type { ReportOwner } from "../../src/query/report/question.ts";
import { createReports, type Reports } from "../../src/query/run/ask.ts";
import { createControl } from "../support/control.ts";
import { startLocalEngine } from "../support/local-engine.ts";
import { startReports } from "../support/visits.ts";
import { type Ask, addTies, compareReports, makeAsk, NOW_MS } from "./compare.ts";
import { createRandom, generateEvents } from "./generate.ts";
import type { OracleEvent } from "./oracle.ts";
import { createEventStore, toRow } from "./store-rows.ts";

const DAYS = ["2026-03-02", "2026-03-03", "2026-03-04", "2026-03-05"];
/** Each report has its share. */
const CASES = sampled(
  Array.from({ length: 500 }, (_, nth) => nth),
  REPORT_NAMES.length,
);

describe("a segment", () => {
  let local: Awaited<ReturnType<typeof startLocalEngine>>;
  let control: Awaited<ReturnType<typeof createControl>>;
  let reports: Reports;
  let workspaceId: string;
  let projects: string[];
  let events: OracleEvent[];
  const { signal } = new AbortController();
  const clock = { nowMs: () => NOW_MS };
  before(async () => {
    local = await startLocalEngine(clock);
    control = await createControl("sqlite");
    ({ workspaceId, projects } = await control.store.write(async (tx) => {
      const { id } = await createWorkspace(tx, "W", NOW_MS);
      const made = [await createProject(tx, id, "A", NOW_MS), await createProject(tx, id, "B", NOW_MS)];
      return { workspaceId: id, projects: made.map((project) => project.id) };
    }));
    events = generateEvents(createRandom(SEED), { projects, days: DAYS, count: 300, poolSize: 12 });
    addTies(events);
    await (await createEventStore(local.engine, "segments"))(events.map(toRow));
    const findSegment = createFindSegment(control.store.read);
    reports = createReports({ runReport: startReports(local.engine, clock), findSegment, clock });
  });
  after(async () => {
    await control.drop();
    await local.stop();
  });

  const ownerOf = (ask: Pick<Ask, "projects" | "excludeBots">): ReportOwner => ({
    workspaceId,
    projects: ask.projects.map((id) => ({
      id,
      excludeBots: ask.excludeBots?.includes(id) ?? false,
      retentionDays: null,
    })),
  });
  const save = (projectId: string, filters: readonly SegmentFilter[]) =>
    control.store.write((tx) => {
      const wanted = { projectId, title: "Some", filters, userId: null };
      return createSegment(tx, workspaceId, wanted, NOW_MS);
    });
  const forget = (id: string) => control.store.write((tx) => deleteSegment(tx, workspaceId, id));

  test(`asks every report what its filters ask: ${CASES.length} generated questions`, {
    timeout: 900_000,
  }, async () => {
    for (const nth of CASES) {
      const random = createRandom(SEED + nth);
      const name = REPORT_NAMES[nth % REPORT_NAMES.length] ?? assert.fail();
      let ask: Ask;
      do ask = makeAsk(random, { projects, days: DAYS, events, people: 0.5 }, [name]);
      while (ask.query.filters === undefined);
      const filters = JSON.parse(ask.query.filters) as SegmentFilter[];
      // Some of them stay with the client; none, as often as not.
      const own = filters.slice(0, random.chance(0.5) ? 0 : random.int(filters.length));
      const segment = await save(ask.projects[0] ?? "", filters.slice(own.length));
      const owner = ownerOf(ask);
      const { filters: _, ...rest } = ask.query;
      const beside = own.length === 0 ? {} : { filters: JSON.stringify(own) };
      const [given, wanted] = [
        await reports.ask(owner, name, { ...rest, ...beside, segment }, signal),
        await reports.ask(owner, name, ask.query, signal),
      ].map(({ statistics: _statistics, ...answer }) => answer);
      assert.deepEqual(given, wanted, `seed ${SEED + nth}: ${name}, ${JSON.stringify(ask.query)}`);
      await forget(segment);
    }
  });

  test("of another project, a deleted one and one that never was are the same 404", async () => {
    const [first = "", second = ""] = projects;
    const id = await save(first, [{ field: "device", op: "eq", value: "desktop" }]);
    const ask = (segment: string, asked: string[]) =>
      reports.ask(ownerOf({ projects: asked }), "top_chains", { segment }, signal);
    const absent = { code: "NOT_FOUND", message: "There is no such segment", param: "query.segment" };
    await ask(id, [first]);
    await ask(id, [first, second]);
    await assert.rejects(ask(id, [second]), absent);
    await assert.rejects(ask(newId("seg"), [first]), absent);
    await assert.rejects(ask("seg", [first]), absent);
    await forget(id);
    await assert.rejects(ask(id, [first]), absent);
  });
});

describe("people who have done something so often", () => {
  const states = ["dirty", "clean", "kept for a while", "removed"];
  const queriesPerState = IS_LONG ? 60 : 6;
  const queries = states.length * queriesPerState;

  test(`are those of the definition in every report: ${queries} questions`, { timeout: 900_000 }, async () => {
    const options = { people: 1, states, queriesPerState, eventsPerSet: 300, everyReport: true } as const;
    assert.equal(await compareReports({ seed: SEED, queries, ...options }), queries);
  });
});
