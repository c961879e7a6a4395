import { Link, useSearch } from "@tanstack/react-router";
import { type Alert, useAlerts } from "../../api/alerts.ts";
import { useSession } from "../../api/session.ts";
import { type RawSearch, text } from "../../state/search.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { Icon } from "../../ui/icon.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import { AlertHistory } from "./alert-history.tsx";
import { AlertList } from "./alert-list.tsx";
import { Editor } from "./editor.tsx";
import "../../ui/telling/telling.css";
import "./alerts.css";

const NEW = "new";

/** The alerts of the project: what they look for, how they are, and what they have told. */
export function Alerts() {
  const { project } = useView();
  const search = useSearch({ strict: false }) as RawSearch;
  const set = useSetSearch();
  const alerts = useAlerts(project);
  const edited = text(search.edit);
  const shown = alerts.data?.data.find(({ id }) => id === (edited ?? text(search.alert)));
  const { workspace } = useSession();
  const close = () => set({ edit: undefined });
  if (edited === NEW && workspace.can.edit) return <Editor key={project} alert={undefined} onClose={close} />;
  if (edited !== undefined && shown && workspace.can.edit)
    return <Editor key={shown.id} alert={shown} onClose={close} />;
  return (
    <div className="telling">
      <header className="page-head">
        <div>
          <h1>Alerts</h1>
          <p>Each tells its recipients once: of an event, of a wallet, or of a number that is not as it should be.</p>
          <p>
            <Link to="/app/schedules">Scheduled reports</Link> come every week or month.
          </p>
        </div>
        {workspace.can.edit ? (
          <button type="button" className="button primary" onClick={() => set({ edit: NEW, alert: undefined })}>
            <Icon name="plus" /> New alert
          </button>
        ) : null}
      </header>
      {alerts.error ? <Failure failure={alerts.error} onRetry={() => void alerts.refetch()} /> : null}
      {alerts.isPending && project !== undefined ? <Skeleton rows={4} /> : null}
      {alerts.data ? <Found alerts={alerts.data.data} /> : null}
      {shown ? <AlertHistory key={shown.id} alert={shown} onClose={() => set({ alert: undefined })} /> : null}
    </div>
  );
}

function Found({ alerts }: { alerts: readonly Alert[] }) {
  const { workspace } = useSession();
  if (alerts.length > 0) return <AlertList alerts={alerts} />;
  return (
    <div className="panel">
      <Empty title="There is no alert yet" icon="bell">
        {workspace.can.edit
          ? "A new one shows when it would have fired in the last 30 days, before anybody is told."
          : "An editor of the workspace can make one; you will see it here."}
      </Empty>
    </div>
  );
}
