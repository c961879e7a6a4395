import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRandom } from "../../src/demo/random.ts";
import type { AnalyticsEngine } from "../../src/engines/port.ts";
import { SEED } from "../../src/lib/testing.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/lib/time.ts";
import { createReports } from "../../src/query/run/ask.ts";
import { createRunOther, createRunReport } from "../../src/query/run/run-report.ts";
import { createQuerySlots } from "../../src/query/run/slots.ts";
import { createAskWindows } from "../../src/query/windows/ask-windows.ts";
import { FIGURE_NAMES, type FigureName } from "../../src/query/windows/figures.ts";
import { type Span, spansOf } from "../../src/query/windows/spans.ts";
import { BLANK_ROW } from "../support/blank-row.ts";
import { BOTH_IN_LONG } from "../support/both-engines.ts";
import { materializeAll } from "../support/visits.ts";

const FROM_MS = Date.parse("2026-03-01T00:00:00Z");
const DAYS = 3;
const NOW_MS = FROM_MS + DAYS * 24 * HOUR_MS;
const OWNER = { workspaceId: "w", projects: [{ id: "p", excludeBots: false, retentionDays: null }] };
const { signal } = new AbortController();

interface Event {
  readonly at: number;
  readonly type: string;
  readonly visitor: string;
  readonly address: string;
  readonly device: string;
  readonly revenue: number;
}

function generate(): Event[] {
  const random = createRandom(SEED);
  return Array.from({ length: 500 }, () => {
    const person = random.int(14);
    return {
      at: FROM_MS + random.int(DAYS * 24 * HOUR_MS),
      type: random.pick(["page", "page", "track", "transaction", "connect"]),
      visitor: `v${person}`,
      address: random.chance(0.4) ? `0x${String(random.int(6)).padStart(40, "0")}` : "",
      device: person % 3 === 0 ? "mobile" : "desktop",
      revenue: random.chance(0.3) ? random.int(10_000) / 100 : 0,
    };
  });
}

async function storeAll(engine: AnalyticsEngine, events: readonly Event[]): Promise<void> {
  const rows = events.map(({ at, visitor, ...event }, nth) => ({
    ...BLANK_ROW,
    ...event,
    project_id: "p",
    dedupe_day: new Date(at).toISOString().slice(0, 10),
    message_id: `m${nth}`,
    timestamp: at,
    anonymous_id: visitor,
    acquisition: "Direct",
    event: event.type === "track" ? "Buy" : "",
  }));
  await engine.importRows("events", rows);
}

/** The definition of the figures that need no sessions. */
function define(events: readonly Event[], name: FigureName, { fromMs, toMs }: Span): number | undefined {
  const within = events.filter(({ at }) => at >= fromMs && at < toMs);
  if (name === "events") return within.length;
  if (name === "pageviews") return within.filter(({ type }) => type === "page").length;
  if (name === "visitors") return new Set(within.map(({ visitor }) => visitor)).size;
  if (name === "wallets") return new Set(within.flatMap(({ address }) => (address === "" ? [] : [address]))).size;
  if (name === "revenue") return within.reduce((sum, { revenue }) => sum + revenue, 0);
  return undefined;
}

function isNear(found: number | null | undefined, wanted: number | null, about: string): void {
  if (wanted === null || found === null || found === undefined) assert.equal(found, wanted, about);
  else assert.ok(Math.abs(found - wanted) < 1e-6, `${about}: ${found} and not ${wanted}`);
}

function open(engine: AnalyticsEngine) {
  const deps = {
    engine,
    clock: { nowMs: () => NOW_MS },
    slots: createQuerySlots({ running: 4, waiting: 9, waitMs: 60_000 }),
  };
  const findSegment = async () => [{ field: "device", op: "eq", value: "mobile" }];
  return {
    windows: createAskWindows({ runOther: createRunOther(deps), findSegment, clock: deps.clock }),
    reports: createReports({ runReport: createRunReport(deps), findSegment, clock: deps.clock }),
  };
}

async function compareHours(engine: AnalyticsEngine, names: readonly FigureName[]): Promise<void> {
  const { windows, reports } = open(engine);
  const days = { date_from: "2026-03-01", date_to: "2026-03-03", interval: "hour" };
  for (const query of [{}, { segment: "seg_mobile" }]) {
    const { data } = await reports.ask(OWNER, "kpis", { ...days, ...query }, signal);
    assert.equal(data.length, DAYS * 24);
    const hours = { endMs: NOW_MS, widthMs: HOUR_MS, periodMs: HOUR_MS, count: DAYS * 24 };
    for (const name of names) {
      const found = await windows.ofComb(OWNER, { name, query }, hours, signal);
      data.toReversed().forEach((row, nth) => {
        const isQuotient = name === "bounce_rate" || name === "avg_session_sec";
        // Without a session that began in the hour there is nothing to divide by; the report says 0.
        const wanted = isQuotient && found[nth] === null ? null : Number(row[name]);
        if (wanted === null) assert.equal(row[name], 0);
        isNear(found[nth], wanted, `${name} of ${String(row.date)}, ${JSON.stringify(query)}, seed ${SEED}`);
      });
    }
  }
}

async function compareWindows(engine: AnalyticsEngine, events: readonly Event[], names: readonly FigureName[]) {
  const { windows } = open(engine);
  const random = createRandom(SEED + 1);
  for (const name of names) {
    const cellMs = random.pick([5, 15, 60]) * MINUTE_MS;
    const windowCells = 1 + random.int(30);
    const grid = { fromMs: FROM_MS + random.int(50) * cellMs, cellMs, cells: 400 + random.int(400), windowCells };
    const query = random.chance(0.5) ? { filters: '[{"field":"device","op":"eq","value":"mobile"}]' } : {};
    const asked = "filters" in query ? events.filter(({ device }) => device === "mobile") : events;
    const found = await windows.ofGrid(OWNER, { name, query }, grid, signal);
    const about = `${name} in ${JSON.stringify({ ...grid, query })}, seed ${SEED}`;
    assert.equal(found.length, grid.cells);
    const endOf = (cell: number) => grid.fromMs + (cell + 1) * cellMs;
    for (let cell = windowCells - 1; cell < grid.cells; cell += 1) {
      const wanted = define(asked, name, { fromMs: endOf(cell) - windowCells * cellMs, toMs: endOf(cell) });
      if (wanted !== undefined) isNear(found[cell], wanted, `${about}, cell ${cell}`);
    }
    const widthMs = windowCells * cellMs;
    const comb = { endMs: endOf(grid.cells - 1), widthMs, periodMs: widthMs + cellMs, count: 5 };
    const apart = await windows.ofComb(OWNER, { name, query }, comb, signal);
    spansOf(comb).forEach(({ fromMs, toMs }, nth) => {
      if (fromMs >= grid.fromMs)
        isNear(apart[nth], found[(toMs - grid.fromMs) / cellMs - 1] ?? null, `${about}, ${nth}`);
    });
  }
}

for (const kind of BOTH_IN_LONG)
  describe(`figures in windows of time on ${kind.name}`, { skip: kind.skip }, () => {
    test("are those of kpis by hour, and of the definition in any window, dirty and clean", async () => {
      const started = await kind.start({ nowMs: () => NOW_MS });
      try {
        const { engine } = started;
        const events = generate();
        await storeAll(engine, events);
        // An emulated ClickHouse takes seconds a statement.
        const isSlow = kind.name === "ClickHouse";
        const kpis = FIGURE_NAMES.filter((name) => name !== "events");
        await compareHours(engine, isSlow ? ["visitors"] : kpis);
        await compareWindows(engine, events, isSlow ? ["visitors", "revenue", "events"] : FIGURE_NAMES);
        await materializeAll(engine, NOW_MS);
        await compareHours(engine, isSlow ? ["bounce_rate"] : kpis);
        await compareWindows(engine, events, isSlow ? ["wallets"] : FIGURE_NAMES);
      } finally {
        await started.stop();
      }
    });
  });
