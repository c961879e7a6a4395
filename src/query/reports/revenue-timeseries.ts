import { REPORT_LIMITS } from "../../contract/analytics.ts";
import { revenueValue, shownValue } from "../../materialize/columns.ts";
import { toAddress } from "../filters/filters.ts";
import { ofRevenue, readEventConditions } from "../report/conditions.ts";
import { readParts, toCtes } from "../report/parts.ts";
import { defineReport } from "../report/report.ts";

const PARTS = readParts("revenue_timeseries");
const KEYS = ["date", "event", "page_path", "referrer", "utm_source"] as const;

/** Revenue and volume of one wallet by day, over all projects that the key sees. */
export const revenueTimeseries = defineReport<string>({
  read: ({ address }) => toAddress(String(address)),
  plan(address, context) {
    const { ctes, texts, params } = readEventConditions(context, ofRevenue);
    const values = {
      page_path: revenueValue("pathname"),
      referrer: shownValue("referrer", revenueValue("referrer")),
      utm_source: revenueValue("utm_source"),
    };
    return {
      ctes: [...ctes, ...toCtes(PARTS, ["counts"], { ...texts, ...values })],
      params: { ...params, address },
      columns: [
        ...KEYS.map((name) => ({ name, type: name === "date" ? ("Date" as const) : ("String" as const) })),
        { name: "revenue", type: "Float32", from: "sum_revenue" },
        { name: "volume", type: "Float32", from: "sum_volume" },
      ],
      order: KEYS,
      page: { limit: REPORT_LIMITS.walletRows, offset: 0 },
    };
  },
});
