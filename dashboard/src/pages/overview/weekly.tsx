import { Link } from "@tanstack/react-router";
import { reportRequest, useReport } from "../../api/reports.ts";
import { cohortsOf, cohortTable, type RetentionRow } from "../../charts/cohorts.ts";
import { RetentionTable } from "../../charts/retention-table.tsx";
import { askedRange, lastWholeDay } from "../../state/period.ts";
import { useView } from "../../state/view.ts";
import { Panel } from "../../ui/panel.tsx";

const WEEKS = 8;

/** How many visitors come back, week by week, up to the end of the period. */
export function Weekly() {
  const { query: shared, today } = useView();
  const { project_id, filters, date_to } = shared;
  const request = reportRequest("retention", {
    project_id,
    filters,
    date_to,
    id_type: "anonymous_id",
    min_users: 0,
    limit: WEEKS,
  });
  const query = useReport<RetentionRow>(request);
  const cohorts = cohortsOf(query.data?.data[0], lastWholeDay(askedRange(query.data?.asked ?? shared).to, today));
  return (
    <Panel
      title="Weekly retention"
      head={
        <h2>
          Weekly retention <span className="light">visitors who came back</span>
        </h2>
      }
      request={request}
      query={query}
      counted="retention"
      isEmpty={cohorts.length === 0}
      skeleton={<div className="heat-skeleton" />}
      table={cohortTable(cohorts)}
      actions={
        <Link to="/app/retention" className="button ghost small">
          Open
        </Link>
      }
    >
      <RetentionTable cohorts={cohorts.slice(-WEEKS)} most={WEEKS} />
    </Panel>
  );
}
