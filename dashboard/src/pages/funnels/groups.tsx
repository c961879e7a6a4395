import { useState } from "react";
import type { Query } from "../../api/client.ts";
import { reportRequest, useReport } from "../../api/reports.ts";
import { SHARES, type ShareOf } from "../../charts/funnel-strip.tsx";
import { valueName } from "../../format/names.ts";
import { full, rate } from "../../format/numbers.ts";
import { type Step, stepLabel } from "../../state/steps.ts";
import { Counted } from "../../ui/counted.tsx";
import { Panel } from "../../ui/panel.tsx";
import { type FunnelRow, foldGroups } from "./fold-groups.ts";

interface GroupsProps {
  group: string;
  label: string;
  query: Query;
  steps: readonly Step[];
  of: ShareOf;
}

/** The most that the report answers. */
const MOST_GROUPS = 100;

/** The same funnel for each value of a column. */
export function Groups({ group, label, query: common, steps, of }: GroupsProps) {
  const [isOpen, setOpen] = useState(false);
  const request = reportRequest("funnel", { ...common, group_by: group, limit: MOST_GROUPS });
  const query = useReport<FunnelRow>(request);
  const rows = foldGroups(query.data?.data ?? []);
  const values = [...new Set(rows.map(({ breakdown = "" }) => breakdown))];
  return (
    <Panel
      title={`By ${label.toLowerCase()}`}
      head={
        <h2>
          By {label.toLowerCase()} <span className="light">% {SHARES[of]}</span>
        </h2>
      }
      request={request}
      query={query}
      counted="funnel"
      isEmpty={rows.length === 0}
      table={{
        columns: [
          { key: "value", label },
          { key: "step", label: "Step" },
          { key: "users", label: "Visitors", format: "count" },
          { key: "conversion_from_start", label: "Of the first step", format: "percent" },
          { key: "conversion_from_previous", label: "Of the step before", format: "percent" },
        ],
        rows: rows.map((row) => ({ ...row, value: valueName(group, row.breakdown ?? "") })),
      }}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section className="table-scroll" aria-label={`By ${label.toLowerCase()}, table`} tabIndex={0}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{label}</th>
              {steps.map((step, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place; two may be equal.
                <th key={index} scope="col" className="number">
                  {stepLabel(step)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {values.map((value) => (
              <tr key={value}>
                <th scope="row">{valueName(group, value)}</th>
                {rows
                  .filter(({ breakdown = "" }) => breakdown === value)
                  .map((row) => {
                    const share = of === "first" ? row.conversion_from_start : row.conversion_from_previous;
                    return (
                      <td key={row.step} className="number">
                        {full(row.users, "count")}
                        {row.step > 1 && share !== null ? <small> {rate(share)}</small> : null}
                      </td>
                    );
                  })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="note">
        Each visitor counts once here, under the {label.toLowerCase()} of the visit with the first step. The overview
        counts every visit.{" "}
        <button type="button" className="link-button" onClick={() => setOpen(true)}>
          How is this counted?
        </button>
      </p>
      {isOpen ? <Counted title="How is this counted?" name="funnel_groups" onClose={() => setOpen(false)} /> : null}
    </Panel>
  );
}
