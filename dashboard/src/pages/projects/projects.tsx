import { Link } from "@tanstack/react-router";
import { useOutage } from "../../api/outage.ts";
import { reportRequest, useReport } from "../../api/reports.ts";
import { type Project, useSession } from "../../api/session.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { rangeText } from "../../format/dates.ts";
import { full } from "../../format/numbers.ts";
import { useView } from "../../state/view.ts";
import { bucketStarts, type KpiRow, kpiPoints } from "../overview/kpis.ts";
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
          <p>{rangeText(range, today)}, in UTC.</p>
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
    ...reportRequest("kpis", { ...query, project_id: project.id, interval: step }),
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
    nowMs: Date.now(),
  });
  const isStale = total.isPlaceholderData || series.isPlaceholderData;
  return (
    <Link
      to="/app"
      search={{ project: project.id } as never}
      className={isStale ? "panel project-card stale" : "panel project-card"}
    >
      <strong className="project-name">{project.name}</strong>
      {project.workspaceName === undefined ? null : <span className="note">{project.workspaceName}</span>}
      <span className="project-visitors">
        <span className="headline-value">{row === undefined ? "–" : full(Number(row.visitors), "count")}</span>{" "}
        <span className="note">visitors</span>
      </span>
      {bucketStarts(range, interval).length > 1 ? <Sparkline values={points.map(({ value }) => value ?? 0)} /> : null}
    </Link>
  );
}
