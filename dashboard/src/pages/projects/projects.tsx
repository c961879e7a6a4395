import { Link } from "@tanstack/react-router";
import { useFirstDay } from "../../api/first-day.ts";
import { useOutage } from "../../api/outage.ts";
import { reportRequest, useReport } from "../../api/reports.ts";
import { type Project, useSession } from "../../api/session.ts";
import { bucketStarts, type KpiRow, kpiPoints } from "../../charts/kpi-points.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { rangeText } from "../../format/dates.ts";
import { full } from "../../format/numbers.ts";
import { wallNow } from "../../format/zone.ts";
import { comparableRanges } from "../../state/period.ts";
import { useView } from "../../state/view.ts";
import { Change } from "../../ui/change.tsx";
import "./projects.css";

/** Every project of the user's workspaces, under the period and filters of the page. */
export function AllProjects() {
  const { projects } = useSession();
  const { range, today } = useView();
  return (
    <>
      <header className="page-head">
        <div>
          <h1>All projects</h1>
          <p>{rangeText(range, today)}, each in its own time zone.</p>
        </div>
      </header>
      <ul className="projects" aria-label="Projects">
        {projects.map((project) => (
          <li key={project.id}>
            <ProjectCard project={project} />
          </li>
        ))}
      </ul>
    </>
  );
}

function ProjectCard({ project }: { project: Project }) {
  const { query, range, interval } = useView();
  const ask = (step: string) => ({
    ...reportRequest("kpis", { ...query, segment: undefined, project_id: project.id, interval: step }),
    workspace: project.workspaceId,
  });
  const total = useReport<KpiRow>(ask("all"));
  const series = useReport<KpiRow>(ask(interval));
  useOutage(total);
  useOutage(series);
  const row = total.data?.data[0];
  const points = kpiPoints(series.data?.data ?? [], "visitors", {
    range,
    compared: undefined,
    interval,
    nowMs: wallNow(),
  });
  const isStale = total.isPlaceholderData || series.isPlaceholderData;
  return (
    <Link
      to="/app"
      search={{ project: project.id, segment: undefined } as never}
      className={isStale ? "panel project-card stale" : "panel project-card"}
    >
      <strong className="project-name">{project.name}</strong>
      {project.workspaceName === undefined ? null : <span className="note">{project.workspaceName}</span>}
      <span className="project-visitors">
        <span className="headline-value">{row === undefined ? "–" : full(Number(row.visitors), "count")}</span>{" "}
        <span className="note">visitors</span> <ProjectChange project={project} />
      </span>
      {bucketStarts(range, interval).length > 1 ? <Sparkline values={points.map(({ value }) => value ?? 0)} /> : null}
    </Link>
  );
}

/** Against the period before, on whole days since the project's own first one. */
function ProjectChange({ project }: { project: Project }) {
  const { query, range, compared, today } = useView();
  const found = comparableRanges(range, compared, today, useFirstDay(project.id, project.workspaceId));
  const days = typeof found === "object" ? found : { range, compared: range };
  const request = reportRequest("kpis", {
    ...query,
    // Another project has other segments.
    segment: undefined,
    project_id: project.id,
    interval: "all",
    date_from: days.range.from,
    date_to: days.range.to,
    compare_from: days.compared.from,
    compare_to: days.compared.to,
  });
  const { data, isPlaceholderData } = useReport<KpiRow>(
    { ...request, workspace: project.workspaceId },
    typeof found === "object",
  );
  const row = data?.data[0];
  if (typeof found !== "object" || row === undefined || isPlaceholderData) return null;
  return <Change now={Number(row.visitors)} before={Number(row.visitors_previous)} format="count" />;
}
