import { Link } from "@tanstack/react-router";
import type { ChartSpec } from "../../charts/registry.ts";
import { ReportPanel } from "../../panels/report-panel.tsx";

const WEEKS = 8;

const SPEC: ChartSpec<"cohorts"> = {
  type: "cohorts",
  report: "retention",
  params: { id_type: "anonymous_id", min_users: 0, limit: WEEKS },
  title: "Weekly retention",
  note: "visitors who came back",
  counted: "retention",
  look: { most: WEEKS },
};

/** How many visitors come back, week by week, up to the end of the period. */
export function Weekly() {
  const open = (
    <Link to="/app/retention" className="button ghost small">
      Open
    </Link>
  );
  return <ReportPanel spec={SPEC} actions={open} />;
}
