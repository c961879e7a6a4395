/** Asks figures in windows of time, with the filters and the segment of a report. */
import type { ReportQuery } from "../../contract/analytics.ts";
import { validationError } from "../../contract/validation-error.ts";
import type { Clock } from "../../lib/clock.ts";
import { UTC } from "../../lib/time-zones.ts";
import { type Known, type ReportOwner, readQuestion } from "../report/question.ts";
import type { Report, Row } from "../report/report.ts";
import type { Spent } from "../run/in-slot.ts";
import type { RunOther } from "../run/run-report.ts";
import { type FindSegment, readWithSegment } from "../run/with-segment.ts";
import { addCells, addChanges, changesIn, type FigureName, figureOf, figuresIn, isDistinct } from "./figures.ts";
import { type Comb, daysOf, type Grid, spansOf } from "./spans.ts";

/** Conditions as a client writes them. */
export type WindowQuery = Pick<ReportQuery, "filters" | "segment" | "page_scope">;

export interface WindowQuestion {
  readonly name: FigureName;
  readonly query: WindowQuery;
}

export interface AskWindows {
  /** The figure in each span of the comb. Null: nothing to divide by. One statement. */
  ofComb(
    owner: ReportOwner,
    question: WindowQuestion,
    comb: Comb,
    signal: AbortSignal,
    spent?: Spent,
  ): Promise<(number | null)[]>;
  /** The figure in the window that ends with each cell of the grid. One statement. */
  ofGrid(
    owner: ReportOwner,
    question: WindowQuestion,
    grid: Grid,
    signal: AbortSignal,
    spent?: Spent,
  ): Promise<(number | null)[]>;
}

interface WindowDeps {
  runOther: RunOther;
  findSegment: FindSegment;
  clock: Clock;
}

export function createAskWindows({ runOther, findSegment, clock }: WindowDeps): AskWindows {
  async function run(
    owner: ReportOwner,
    report: Report,
    { query, span }: { query: WindowQuery; span: { fromMs: number; toMs: number } },
    signal: AbortSignal,
    spent?: Spent,
  ): Promise<readonly Row[]> {
    const { firstDay, lastDay } = daysOf(span);
    // Windows have moments; days only bound what is read.
    const dated = { ...query, date_from: firstDay, date_to: lastDay, timezone: UTC };
    const read = (known?: Known) => readQuestion(report, dated, clock.nowMs(), known);
    const checked = read();
    if (!checked.ok) throw validationError(checked.failures);
    const question = await readWithSegment(findSegment, owner, dated, checked.value, read);
    return (await runOther("windows", report, owner, question, signal, spent)).data;
  }
  return {
    async ofComb(owner, { name, query }, comb, signal, spent) {
      const spans = spansOf(comb);
      const span = { fromMs: spans.at(-1)?.fromMs ?? 0, toMs: comb.endMs };
      const rows = await run(owner, figuresIn(comb, name), { query, span }, signal, spent);
      const byBucket = new Map(rows.map((row) => [Number(row.bucket), row as Readonly<Record<string, number>>]));
      return spans.map((_, nth) => figureOf(name, byBucket.get(nth) ?? {}));
    },
    async ofGrid(owner, { name, query }, grid, signal, spent) {
      const span = { fromMs: grid.fromMs, toMs: grid.fromMs + grid.cells * grid.cellMs };
      const report = isDistinct(name) ? changesIn(grid, name) : figuresIn(grid, name);
      const rows = await run(owner, report, { query, span }, signal, spent);
      return isDistinct(name) ? addChanges(grid, rows) : addCells(name, grid, rows);
    },
  };
}
