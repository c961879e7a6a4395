/**
 * A board of twelve charts in Chromium: when the last of them is drawn, against the slowest chart alone in the same run.
 * Every load asks for other days, always as many: answers are kept for a minute.
 */
import { DAY_MS, dayOf } from "../src/lib/time.ts";
import { CHARTS, makeBoard } from "./board.ts";
import { type DashboardPage, NOTHING_WAITS, timeOf } from "./dashboard-page.ts";
import type { QueryService } from "./query-service.ts";
import { median } from "./statistics.ts";
import { line, type Verdict } from "./verdict.ts";

const LOADS = 7;
const ALONE = 5;
const SHOWN_DAYS = 30;
const IS_DRAWN = `document.querySelectorAll(".board-grid section.panel").length === ${CHARTS} &&
  ${NOTHING_WAITS} && performance.now()`;

export interface BoardTimes {
  /** From the navigation, p50. */
  readonly drawnMs: number;
  readonly alone: { readonly title: string; readonly ms: number };
}

export async function measureBoard(service: QueryService, { page, when }: DashboardPage): Promise<BoardTimes> {
  const { id, charts } = await makeBoard(service);
  let daysAgo = 0;
  const nextDays = () => {
    daysAgo += 1;
    return { from: dayBefore(daysAgo + SHOWN_DAYS - 1), to: dayBefore(daysAgo) };
  };
  const { apiUrl } = service.credentials;
  const drawn: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    const { from, to } = nextDays();
    await page.goto(`${apiUrl}/app/boards/board?board=${id}&period=custom&from=${from}&to=${to}&compare=off`);
    drawn.push(await when(IS_DRAWN));
  }
  // The board would go on to refresh.
  await page.goto(`${apiUrl}/sign-in`);
  const alone: { title: string; ms: number }[] = [];
  for (const chart of charts) {
    const taken: number[] = [];
    for (let round = 0; round < ALONE; round += 1) {
      const { from, to } = nextDays();
      taken.push(
        await timeOf(page, `${apiUrl}/v0/boards/${id}/charts/${chart.id}/query?date_from=${from}&date_to=${to}`),
      );
      if (daysAgo > SHOWN_DAYS) daysAgo = LOADS;
    }
    alone.push({ title: chart.title, ms: median(taken) });
  }
  const [slowest = { title: "", ms: Number.NaN }] = alone.toSorted((a, b) => b.ms - a.ms);
  return { drawnMs: median(drawn), alone: slowest };
}

export function describeBoard({ drawnMs, alone }: BoardTimes): string {
  return (
    `board of ${CHARTS} charts in Chromium, p50: the last one after ${drawnMs.toFixed(0)} ms; ` +
    `the slowest alone is "${alone.title}", ${alone.ms.toFixed(0)} ms`
  );
}

export function judgeBoard({ drawnMs, alone }: BoardTimes): Verdict[] {
  return [line("board: last chart / the slowest chart alone", drawnMs / alone.ms, 2, "", { atMost: 2 })];
}

const dayBefore = (days: number) => dayOf(Date.now() - days * DAY_MS);
