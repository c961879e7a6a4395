import { useSearch } from "@tanstack/react-router";
import { type Schedule, useSchedules } from "../../api/schedules.ts";
import { useSession } from "../../api/session.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { Editor } from "./editor.tsx";
import { Runs } from "./runs.tsx";
import { ScheduleList } from "./schedule-list.tsx";
import "../../ui/telling/telling.css";

const NEW = "new";

/** The reports of the project that come by themselves. The URL says which one is edited or shown. */
export function Schedules() {
  const { project } = useView();
  const { workspace } = useSession();
  const search = useSearch({ strict: false }) as RawSearch;
  const set = useSetSearch();
  const schedules = useSchedules(project);
  const edited = workspace.can.edit ? text(search.edit) : undefined;
  const shown = schedules.data?.data.find(({ id }) => id === (edited ?? text(search.schedule)));
  const close = () => set({ edit: undefined, about: undefined });
  if (edited === NEW)
    return <Editor key={project} schedule={undefined} board={text(search.about) ?? ""} onClose={close} />;
  if (edited !== undefined && shown) return <Editor key={shown.id} schedule={shown} board="" onClose={close} />;
  return (
    <div className="telling">
      <header className="page-head">
        <div>
          <h1>Scheduled reports</h1>
          <p>The numbers of the project or of a board, by mail or in Slack, every week or month.</p>
        </div>
        {workspace.can.edit ? (
          <button type="button" className="button primary" onClick={() => set({ edit: NEW, schedule: undefined })}>
            <Icon name="plus" /> New report
          </button>
        ) : null}
      </header>
      {schedules.error ? <Failure failure={schedules.error} onRetry={() => void schedules.refetch()} /> : null}
      {schedules.isPending && project !== undefined ? <Skeleton rows={4} /> : null}
      {schedules.data?.mail_is_configured === false ? (
        <p className="note telling-note">
          This installation has no mail server: addresses are kept, and get nothing until SEXTANT_SMTP_URL is set. Slack
          works without one.
        </p>
      ) : null}
      {schedules.data ? <Found schedules={schedules.data.data} /> : null}
      {shown ? <Runs key={shown.id} schedule={shown} onClose={() => set({ schedule: undefined })} /> : null}
    </div>
  );
}

function Found({ schedules }: { schedules: readonly Schedule[] }) {
  const { workspace } = useSession();
  if (schedules.length > 0) return <ScheduleList schedules={schedules} />;
  return (
    <div className="panel">
      <Empty title="No report comes by itself yet" icon="calendar">
        {workspace.can.edit
          ? "A new one asks the owners of its addresses first; nobody gets mail they did not agree to."
          : "An editor of the workspace can make one; you will see it here."}
      </Empty>
    </div>
  );
}
