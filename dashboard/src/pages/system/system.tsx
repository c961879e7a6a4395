import { useSession } from "../../api/session.ts";
import { useView } from "../../state/view.ts";
import { Ledger } from "./ledger.tsx";
import { Machine } from "./machine.tsx";
import { Parked } from "./parked.tsx";
import "./system.css";

/** What became of received events, and the state of the service. */
export function System() {
  const { version, urls, workspace } = useSession();
  const { project } = useView();
  return (
    <div className="system">
      <header className="page-head">
        <div>
          <h1>System</h1>
          <p>
            Sextant {version}. API <code>{urls.api}</code>, events <code>{urls.events}</code>
          </p>
        </div>
      </header>
      <Ledger key={project} />
      <Parked key={`parked ${project}`} />
      {workspace.can.manageKeys ? <Machine /> : null}
    </div>
  );
}
