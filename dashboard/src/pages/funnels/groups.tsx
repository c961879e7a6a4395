import { useState } from "react";
import { SHARES, type ShareOf } from "../../charts/drawings.ts";
import type { Asked } from "../../format/range.ts";
import { ReportPanel } from "../../panels/report-panel.tsx";
import { type Step, stepLabel } from "../../state/steps.ts";
import { Counted } from "../../ui/counted.tsx";

interface GroupsProps {
  group: string;
  label: string;
  params: Asked;
  steps: readonly Step[];
  of: ShareOf;
}

/** The most that the report answers. */
const MOST_GROUPS = 100;

/** The same funnel for each value of a column. */
export function Groups({ group, label, params, steps, of }: GroupsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <ReportPanel<"funnel_groups">
      spec={{
        type: "funnel_groups",
        report: "funnel",
        params: { ...params, group_by: group, limit: MOST_GROUPS },
        title: `By ${label.toLowerCase()}`,
        note: `% ${SHARES[of]}`,
        counted: "funnel",
        look: { group, label, steps: steps.map(stepLabel), of },
      }}
    >
      <p className="note">
        Each visitor counts once here, under the {label.toLowerCase()} of the visit with the first step. The overview
        counts every visit.{" "}
        <button type="button" className="link-button" onClick={() => setOpen(true)}>
          How is this counted?
        </button>
      </p>
      {isOpen ? <Counted title="How is this counted?" name="funnel_groups" onClose={() => setOpen(false)} /> : null}
    </ReportPanel>
  );
}
