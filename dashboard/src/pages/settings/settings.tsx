import { Link, useSearch } from "@tanstack/react-router";
import { useSession } from "../../api/session.ts";
import { oneOf, type RawSearch } from "../../state/search.ts";
import { useSetSearch } from "../../state/view.ts";
import { AccountSettings } from "./account.tsx";
import { AuditLog } from "./audit-log.tsx";
import { Keys } from "./keys.tsx";
import { Members } from "./members.tsx";
import { Projects } from "./projects.tsx";
import "./settings.css";

const TABS = [
  { value: "projects", label: "Projects", needs: undefined, page: Projects },
  { value: "keys", label: "Keys", needs: "manageKeys", page: Keys },
  { value: "members", label: "Members", needs: undefined, page: Members },
  { value: "account", label: "My account", needs: undefined, page: AccountSettings },
  { value: "audit", label: "Audit log", needs: "manageMembers", page: AuditLog },
] as const;

/** Settings of the workspace and of the own account. A role sees what it may change. */
export function Settings() {
  const { tab: wanted } = useSearch({ strict: false }) as RawSearch;
  const { workspace } = useSession();
  const set = useSetSearch();
  const tabs = TABS.filter(({ needs }) => needs === undefined || workspace.can[needs]);
  const name = oneOf(
    tabs.map(({ value }) => value),
    wanted,
  );
  const shown = tabs.find(({ value }) => value === name) ?? tabs[0];
  const Shown = shown?.page ?? Projects;
  return (
    <div className="settings">
      <header className="page-head">
        <div>
          <h1>Settings</h1>
          <p>
            {workspace.name}. Your role: {workspace.role}.
          </p>
        </div>
      </header>
      <nav className="settings-tabs" aria-label="Settings">
        {tabs.map(({ value, label }) => (
          <button
            key={value}
            type="button"
            aria-current={value === shown?.value ? "page" : undefined}
            onClick={() => set({ tab: value === "projects" ? undefined : value })}
          >
            {label}
          </button>
        ))}
        <Link to="/app/schedules" className="settings-link">
          Scheduled reports
        </Link>
      </nav>
      <Shown />
    </div>
  );
}
