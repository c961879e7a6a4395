import { reportRequest, useReport } from "../../api/reports.ts";
import { HeatTable } from "../../charts/heat-table.tsx";
import { weekdayNames } from "../../format/dates.ts";
import { useView } from "../../state/view.ts";
import { Panel } from "../../ui/panel.tsx";

interface HourRow {
  weekday: number;
  hour: number;
  sessions: number;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** When people come: hours of the week in UTC. */
export function Hours() {
  const view = useView();
  const request = reportRequest("heatmap", view.query);
  const query = useReport<HourRow>(request);
  const rows = query.data?.data ?? [];
  const found = new Map(rows.map((row) => [`${row.weekday} ${row.hour}`, row.sessions]));
  const days = weekdayNames();
  return (
    <Panel
      title="Hours of the week"
      head={
        <h2>
          Hours of the week <span className="light">sessions, UTC</span>
        </h2>
      }
      request={request}
      query={query}
      counted="hours"
      isEmpty={rows.every(({ sessions }) => sessions === 0)}
      skeleton={<div className="heat-skeleton" />}
      table={{
        columns: [
          { key: "day", label: "Day" },
          { key: "hour", label: "Hour", format: "count" },
          { key: "sessions", label: "Sessions", format: "count" },
        ],
        rows: rows.map((row) => ({ ...row, day: days[row.weekday - 1] })),
      }}
    >
      <HeatTable
        label="Sessions by weekday and hour"
        columns={HOURS.map(String)}
        rows={days.map((label, index) => ({
          label,
          values: HOURS.map((hour) => found.get(`${index + 1} ${hour}`) ?? 0),
        }))}
        format="count"
      />
    </Panel>
  );
}
