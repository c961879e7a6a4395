import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { IS_LONG } from "../../src/lib/testing.ts";
import { createRunReport, type RunReport } from "../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { questionOf } from "../../src/query/testing.ts";
import { BOTH_IN_LONG, type StartedEngine } from "../support/both-engines.ts";
import { materializeAll } from "../support/visits.ts";
import { createRandom, generateEvents } from "./generate.ts";
import { answer, type OracleEvent, type OracleQuery } from "./oracle.ts";
import { createEventStore, toRow } from "./store-rows.ts";

const DAY = "2026-03-01";
const NEXT = "2026-03-02";

/** All required fields of an event, empty. */
const [TEMPLATE] = generateEvents(createRandom(1), { projects: ["p"], days: [DAY], count: 1 });
assert.ok(TEMPLATE);
const EMPTY: OracleEvent = {
  ...(Object.fromEntries(
    Object.entries(TEMPLATE).map(([name, value]) => [name, typeof value === "number" ? 0 : ""]),
  ) as unknown as OracleEvent),
  acquisition: "Direct",
  type: "page",
};
let made = 0;
function event(project_id: string, at: string, rest: Partial<OracleEvent>): OracleEvent {
  made += 1;
  const day = at.slice(0, 10);
  return { ...EMPTY, project_id, day, message_id: `m${made}`, timestamp: Date.parse(at), received_at: made, ...rest };
}

/** One session of two visitors on one chain that crosses midnight. Another project has a session with the same ids. */
const EVENTS = [
  event("p", `${DAY}T10:00:00Z`, {
    session_id: "s",
    anonymous_id: "ada",
    referrer: "t.co",
    has_touch: 1,
    chain_id: "1",
  }),
  event("p", `${DAY}T10:01:00Z`, {
    session_id: "s",
    anonymous_id: "bob",
    referrer: "x.com",
    has_touch: 1,
    chain_id: "1",
  }),
  event("p", `${DAY}T10:02:00Z`, { session_id: "s", anonymous_id: "bob", revenue: 2, chain_id: "10" }),
  event("p", `${NEXT}T00:00:00Z`, { session_id: "s", anonymous_id: "ada", revenue: 3, chain_id: "1" }),
  event("q", `${DAY}T09:00:00Z`, {
    session_id: "s",
    anonymous_id: "ada",
    referrer: "a.com",
    has_touch: 1,
    chain_id: "1",
  }),
  event("q", `${DAY}T11:00:00Z`, { session_id: "s", anonymous_id: "eve", revenue: 5, chain_id: "1" }),
  event("q", `${NEXT}T11:00:00Z`, { session_id: "s", anonymous_id: "eve", revenue: 7, referrer: "t.co", has_touch: 1 }),
];

for (const { name, skip, start } of BOTH_IN_LONG)
  describe(`a session that two visitors and two projects share, on ${name}`, { skip }, () => {
    let started: StartedEngine;
    let engine: AnalyticsEngine;
    let run: RunReport;
    before(async () => {
      started = await start();
      engine = started.engine;
      run = createRunReport({
        engine,
        clock: systemClock,
        slots: createQuerySlots({ running: 9, waiting: 9, waitMs: 1_000 }),
      });
      await (await createEventStore(engine, "n"))(EVENTS.map(toRow));
    });
    after(() => started?.stop());

    const FILTERS: OracleQuery["filters"][] = [
      [],
      [{ field: "referrer", op: "eq", value: "t.co" }],
      [{ field: "chain_id", op: "eq", value: "1" }],
    ];

    /**
     * An emulated ClickHouse takes seconds for each of 54 questions in three states. A step that shares no divisor with
     * their number takes other ones in each state.
     */
    const STEP = name === "DuckDB" ? (IS_LONG ? 1 : 5) : 10;
    let nth = 0;

    async function compareAll(when: string): Promise<void> {
      for (const report of ["top_sources", "top_chains", "revenue_by_metric"] as const)
        for (const projects of [["p"], ["q"], ["p", "q"]])
          for (const filters of FILTERS)
            for (const [from, to] of [
              [DAY, NEXT],
              [NEXT, NEXT],
            ] as const) {
              nth += 1;
              if (nth % STEP !== 0) continue;
              const column = report === "top_chains" ? {} : { metric_column: "referrer" };
              const page = { limit: 50, offset: 0 };
              const asked = { ...page, ...column, date_from: from, date_to: to, filters: JSON.stringify(filters) };
              const owner = {
                workspaceId: "w",
                projects: projects.map((id) => ({ id, excludeBots: false, retentionDays: null })),
              };
              const { data } = await run(report, owner, questionOf(report, asked), new AbortController().signal);
              const expected = answer(EVENTS, { report, projects, filters, from, to, ...page, ...column });
              assert.deepEqual(
                data,
                expected.rows,
                `${when}, ${report} of ${projects.join(", ")} ${JSON.stringify(asked)}`,
              );
            }
    }

    test("counts once for each project and day, under its own first touch, whether dirty or clean", async () => {
      await compareAll("dirty");
      await materializeAll(engine, Date.parse(`${NEXT}T12:00:00Z`));
      await compareAll("one day clean");
      await materializeAll(engine);
      await compareAll("clean");
    });
  });
