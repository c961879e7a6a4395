import type { ApiRequest, Query } from "../../api/client.ts";
import { useOutage } from "../../api/outage.ts";
import { reportRequest, useReport } from "../../api/reports.ts";
import { askedBuckets, type KpiRow } from "../../charts/kpi-points.ts";
import { useView } from "../../state/view.ts";

/** Asked before all lists of the page. */
function kpisRequest(query: Query): ApiRequest {
  return { ...reportRequest("kpis", query), isFirst: true };
}

/** The headline numbers in buckets, and of the whole period. */
export function useKpis() {
  const view = useView();
  const compare = view.compared ? { compare_from: view.compared.from, compare_to: view.compared.to } : {};
  const request = kpisRequest({ ...view.query, ...compare, interval: view.interval });
  const totalRequest = kpisRequest({ ...view.query, ...compare, interval: "all" });
  const series = useReport<KpiRow>(request);
  const total = useReport<KpiRow>(totalRequest);
  useOutage(total);
  const { comparable } = view;
  const whole = useReport<KpiRow>(
    kpisRequest({
      ...view.query,
      ...(typeof comparable === "object"
        ? {
            date_to: comparable.range.to,
            compare_from: comparable.compared.from,
            compare_to: comparable.compared.to,
          }
        : {}),
      interval: "all",
    }),
    typeof comparable === "object",
  );
  return {
    request,
    series,
    /** The days and buckets of the rows: while they are old, not those of the page. */
    buckets: series.data ? askedBuckets(series.data.asked) : view,
    rows: series.data?.data ?? [],
    /** Distinct numbers of the period do not follow from its days, so that nothing is shown before they are here. */
    total: total.data?.data[0],
    imported: total.data?.imported,
    isPending: series.isPending || total.isPending,
    isStale: series.isPlaceholderData || total.isPlaceholderData,
    isFailed: series.data === undefined || total.data === undefined,
    /** The whole days of the period, with those of the comparison. */
    changes: typeof comparable === "object" && !whole.isPlaceholderData ? whole.data?.data[0] : undefined,
  };
}
