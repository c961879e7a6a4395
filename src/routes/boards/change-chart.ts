import { lockBoard } from "../../boards/boards.ts";
import { asksOtherwise, changedSpec, conflict } from "../../boards/change-chart.ts";
import { type ChartSpec, viewChart } from "../../boards/chart.ts";
import { describeChart, getChart, replaceChart } from "../../boards/charts.ts";
import { checkQuestion } from "../../boards/check-chart.ts";
import { readDays } from "../../boards/days.ts";
import type { RunCharts } from "../../boards/run-charts.ts";
import { verifyChart } from "../../boards/verify-chart.ts";
import { ChartChanges, ChartParams, ChartView } from "../../contract/charts.ts";
import { type Route, writeRoute } from "../../http/route.ts";
import { auditOf, CHARTS_PATH, CHARTS_TAG, getBoth, getOwner } from "./of-chart.ts";

interface Verified {
  readonly wanted: ChartSpec;
  /** With the axes that were missing. */
  readonly whole: ChartSpec;
}

/** A change of some fields: two people who change different ones of the same chart both keep theirs. */
export function changeChartRoute(charts: RunCharts): Route {
  /** What was checked before the transaction, because a question takes longer than a transaction may. */
  const verified = new WeakMap<object, Verified>();
  return writeRoute({
    method: "PATCH",
    path: `${CHARTS_PATH}/:chartId`,
    operationId: "changeChart",
    tag: CHARTS_TAG,
    summary: "Change some fields of a chart",
    description:
      "Fields that are left out stay, and so do `settings` with other names; null removes a field. Checked as a " +
      "replacement; its question is asked only where something else than title, description, `settings.layout` and " +
      "`settings.drawn` differs afterwards.",
    access: "boards:write",
    params: ChartParams,
    body: ChartChanges,
    answers: { 200: ChartView },
    async prepare(request) {
      const { db, key, parts, nowMs, signal, charge } = request;
      const { board, chart } = await getBoth(db, key, parts.params);
      const spec = changedSpec(chart, parts.body);
      if (!asksOtherwise(chart, spec)) return;
      const days = readDays({}, nowMs, false);
      if (!days.ok) throw new Error("the default days are refused");
      const owner = await getOwner(db, key, board);
      const whole = await verifyChart(charts, owner, spec, days.value, { signal, spent: charge });
      verified.set(request, { wanted: spec, whole });
    },
    async handle(request, tx) {
      const { key, parts, nowMs } = request;
      const board = await lockBoard(tx, key, parts.params.boardId);
      const chart = await getChart(tx, key.workspaceId, board, parts.params.chartId);
      const wanted = changedSpec(chart, parts.body);
      const prepared = verified.get(request);
      if (asksOtherwise(prepared?.wanted ?? chart, wanted)) throw conflict();
      const { x_axis, y_axis, group_by } = prepared?.whole ?? wanted;
      const spec = { ...wanted, x_axis, y_axis, group_by };
      checkQuestion(spec);
      if (prepared === undefined) await describeChart(tx, key.workspaceId, chart.id, spec, nowMs);
      else await replaceChart(tx, key.workspaceId, chart, spec, nowMs);
      const changed = await getChart(tx, key.workspaceId, board, chart.id);
      return { status: 200, body: viewChart(changed), audit: { target: chart.id, details: auditOf(changed) } };
    },
  });
}
