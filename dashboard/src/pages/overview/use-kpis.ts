import { reportRequest, useReport } from "../../api/reports.ts";
import { useView } from "../../state/view.ts";
import type { KpiRow } from "./kpis.ts";

/** The headline numbers in buckets, and of the whole period. */
export function useKpis() {
  const view = useView();
  const compare = view.compared ? { compare_from: view.compared.from, compare_to: view.compared.to } : {};
  const request = reportRequest("kpis", { ...view.query, ...compare, interval: view.interval });
  const totalRequest = reportRequest("kpis", { ...view.query, ...compare, interval: "all" });
  const series = useReport<KpiRow>(request);
  const total = useReport<KpiRow>(totalRequest);
  return { request, series, rows: series.data?.data ?? [], total: total.data?.data[0], totalQuery: total };
}
