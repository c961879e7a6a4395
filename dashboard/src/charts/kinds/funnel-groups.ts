import { valueName } from "../../format/names.ts";
import type { FunnelGroup, FunnelGroupsProps, ShareOf } from "../drawings.ts";
import { foldGroups } from "../fold-groups.ts";
import type { FunnelRow } from "../funnel-row.ts";
import { type ChartKind, VIEW } from "./kind.ts";

interface FunnelGroupsLook {
  /** The column of the groups, and what it is called. */
  group: string;
  label: string;
  /** The names of the steps. */
  steps: readonly string[];
  of: ShareOf;
}

/** The same funnel for each value of a column: the report `funnel` with `group_by`. */
export const FUNNEL_GROUPS_KIND: ChartKind<FunnelRow, FunnelGroupsProps, FunnelGroupsLook> = {
  needs: VIEW,
  drawing: (rows, { look: { group, label, steps, of } }) => {
    const folded = foldGroups(rows);
    const groups: FunnelGroup[] = [...new Set(folded.map(({ breakdown = "" }) => breakdown))].map((value) => ({
      value,
      name: valueName(group, value),
      steps: folded
        .filter(({ breakdown = "" }) => breakdown === value)
        .map((row) => ({
          users: row.users,
          share: row.step === 1 ? null : of === "first" ? row.conversion_from_start : row.conversion_from_previous,
        })),
    }));
    return { label, steps, groups };
  },
  table: (rows, { look: { group, label } }) => ({
    columns: [
      { key: "value", label },
      { key: "step", label: "Step" },
      { key: "users", label: "Visitors", format: "count" },
      { key: "conversion_from_start", label: "Of the first step", format: "percent" },
      { key: "conversion_from_previous", label: "Of the step before", format: "percent" },
    ],
    rows: foldGroups(rows).map((row) => ({ ...row, value: valueName(group, row.breakdown ?? "") })),
  }),
  isEmpty: (rows) => rows.length === 0,
  skeleton: 5,
};
