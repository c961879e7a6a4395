import type { Query } from "../../api/client.ts";
import { reportRequest, useReport } from "../../api/reports.ts";
import { valueName } from "../../format/names.ts";
import { full, rate } from "../../format/numbers.ts";
import { type Step, stepLabel } from "../../state/steps.ts";
import { Panel } from "../../ui/panel.tsx";

export interface FunnelRow {
  step: number;
  event: string;
  users: number;
  conversion_from_start: number | null;
  conversion_from_previous: number | null;
  median_seconds_from_previous: number | null;
  median_seconds_from_start: number | null;
  breakdown?: string;
}

interface GroupsProps {
  group: string;
  label: string;
  query: Query;
  steps: readonly Step[];
}

const SHOWN_GROUPS = 8;

/** The same funnel for each value of a column. */
export function Groups({ group, label, query: common, steps }: GroupsProps) {
  const request = reportRequest("funnel", { ...common, group_by: group, limit: SHOWN_GROUPS });
  const query = useReport<FunnelRow>(request);
  const rows = query.data?.data ?? [];
  const values = [...new Set(rows.map(({ breakdown = "" }) => breakdown))];
  return (
    <Panel
      title={`By ${label.toLowerCase()}`}
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
                  .map((row) => (
                    <td key={row.step} className="number">
                      {full(row.users, "count")}
                      {row.step > 1 && row.conversion_from_start !== null ? (
                        <small> {rate(row.conversion_from_start)}</small>
                      ) : null}
                    </td>
                  ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  );
}
