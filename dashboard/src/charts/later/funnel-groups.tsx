import { full, rate } from "../../format/numbers.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import type { FunnelGroupsProps } from "../drawings.ts";

/** A line for each group, a column for each step. */
export function FunnelGroups({ label, steps, groups }: FunnelGroupsProps) {
  return (
    <ScrollRegion label={`By ${label.toLowerCase()}, table`}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{label}</th>
            {steps.map((step, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place; two may be equal.
              <th key={index} scope="col" className="number">
                {step}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.value}>
              <th scope="row">{group.name}</th>
              {group.steps.map(({ users, share }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: see above.
                <td key={index} className="number">
                  {full(users, "count")}
                  {share === null ? null : <small> {rate(share)}</small>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
