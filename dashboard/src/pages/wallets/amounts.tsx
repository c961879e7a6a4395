import { useState } from "react";
import type { Profile } from "../../api/profiles.ts";
import type { ChartSpec } from "../../charts/registry.ts";
import { toDay } from "../../format/days.ts";
import { wallTime } from "../../format/zone.ts";
import { ReportPanel } from "../../panels/report-panel.tsx";
import { useView } from "../../state/view.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { Empty } from "../../ui/states.tsx";

const AMOUNTS = [
  { value: "revenue", label: "Revenue" },
  { value: "volume", label: "Volume" },
] as const;
type Amount = (typeof AMOUNTS)[number]["value"];

/** In the zone of the project, whose days the report counts. */
const dayOf = (time: string | null) => (time === null ? undefined : toDay(wallTime(Date.parse(time))));

/** From the first day of the wallet to the last, with bots: as its totals. */
export function Amounts({ profile: { address, first_seen, last_seen } }: { profile: Profile }) {
  const { project } = useView();
  const [amount, setAmount] = useState<Amount>("revenue");
  const spec: ChartSpec<"stacked"> = {
    type: "stacked",
    title: `${amount === "revenue" ? "Revenue" : "Volume"} by day`,
    report: "revenue_timeseries",
    params: { address },
    look: { x_axis: "date", y_axis: [amount], group_by: "event", format: "amount" },
  };
  const given = {
    project_id: project,
    bots: "include",
    date_from: dayOf(first_seen),
    date_to: dayOf(last_seen),
  };
  return (
    <ReportPanel
      spec={spec}
      given={given}
      actions={<Segmented label="Amount" options={AMOUNTS} value={amount} onChange={setAmount} />}
      empty={<Empty title="No revenue and no volume">None of its events has an amount.</Empty>}
    />
  );
}
