/**
 * A board of twelve charts in Chromium: when the last of them is drawn, against the slowest chart alone in the same run,
 * on a board of its own: both load the page.
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
const isDrawn = (charts: number) => `document.querySelectorAll(".board-grid section.panel").length === ${charts} &&
  ${NOTHING_WAITS} && performance.now()`;

export interface BoardTimes {
  /** From the navigation, p50. */
  readonly drawnMs: number;
  /** The slowest chart: its request, and the board that has only this chart. */
  readonly alone: { readonly title: string; readonly ms: number; readonly drawnMs: number };
}

export async function measureBoard(service: QueryService, { page, when }: DashboardPage): Promise<BoardTimes> {
  const { id, charts, call } = await makeBoard(service);
  let daysAgo = 0;
  const nextDays = () => {
    daysAgo += 1;
    return { from: dayBefore(daysAgo + SHOWN_DAYS - 1), to: dayBefore(daysAgo) };
  };
  const { apiUrl } = service.credentials;
  const draw = async (board: string, count: number) => {
    const drawn: number[] = [];
    for (let load = 0; load < LOADS; load += 1) {
      const { from, to } = nextDays();
      await page.goto(`${apiUrl}/app/boards/board?board=${board}&period=custom&from=${from}&to=${to}&compare=off`);
      drawn.push(await when(isDrawn(count)));
    }
    return median(drawn);
  };
  const drawnMs = await draw(id, CHARTS);
  // The board would go on to refresh.
  await page.goto(`${apiUrl}/sign-in`);
  const alone: { id: string; title: string; ms: number }[] = [];
  for (const chart of charts) {
    const taken: number[] = [];
    for (let round = 0; round < ALONE; round += 1) {
      const { from, to } = nextDays();
      taken.push(
        await timeOf(page, `${apiUrl}/v0/boards/${id}/charts/${chart.id}/query?date_from=${from}&date_to=${to}`),
      );
      if (daysAgo > SHOWN_DAYS) daysAgo = LOADS;
    }
    alone.push({ ...chart, ms: median(taken) });
  }
  const [slowest] = alone.toSorted((a, b) => b.ms - a.ms);
  if (slowest === undefined) throw new Error("the board has no charts");
  const { id: other } = await call<{ id: string }>("POST", "/v0/boards", {
    title: "One chart",
    project_id: service.projects[0],
  });
  // Days that the requests above did not have.
  daysAgo = SHOWN_DAYS + 1;
  await call("PUT", `/v0/boards/${id}/charts/${slowest.id}/move`, { targetBoardId: other });
  return { drawnMs, alone: { ...slowest, drawnMs: await draw(other, 1) } };
}

export function describeBoard({ drawnMs, alone }: BoardTimes): string {
  return (
    `board of ${CHARTS} charts in Chromium, p50: the last one after ${drawnMs.toFixed(0)} ms; ` +
    `the slowest alone is "${alone.title}", ${alone.drawnMs.toFixed(0)} ms, ${alone.ms.toFixed(0)} of them its request`
  );
}

export function judgeBoard({ drawnMs, alone }: BoardTimes): Verdict[] {
  return [line("board: last chart / the slowest chart alone", drawnMs / alone.drawnMs, 2, "", { atMost: 2 })];
}

const dayBefore = (days: number) => dayOf(Date.now() - days * DAY_MS);
