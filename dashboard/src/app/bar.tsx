import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { serviceUrl } from "../api/client.ts";
import { useSession } from "../api/session.ts";
import { setTheme, THEMES, type Theme, useTheme } from "../state/theme.ts";
import { useView } from "../state/view.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLine } from "../ui/menu.tsx";
import { useChooseProject } from "./choose-project.ts";
import { AddFilter, FilterChips } from "./filter-chips.tsx";
import { LiveCount } from "./live-count.tsx";
import { CompareMenu, PeriodMenu } from "./period-menu.tsx";
import { SegmentMenu } from "./segment-menu.tsx";

// After the first screen, which has a budget.
const Bell = lazy(async () => ({ default: (await import("./bell.tsx")).Bell }));
const LinkMenu = lazy(async () => ({ default: (await import("./link-menu.tsx")).LinkMenu }));
const NewProject = lazy(async () => ({ default: (await import("../pages/settings/new-project.tsx")).NewProject }));

export interface BarProps {
  /** Pages without a period, such as settings, have only project and tools. */
  period: boolean;
  /** Pages whose numbers can be those of a segment. */
  segments: boolean;
  /** Pages that show a comparison. */
  compare: boolean;
  filterOpen: boolean;
  onFilterOpen: (open: boolean) => void;
  onPalette: () => void;
  onHelp: () => void;
  onSignOut: () => void;
}

/** The bar above every page. */
export function Bar(props: BarProps) {
  const { period, segments, compare, filterOpen, onFilterOpen, onPalette, onHelp, onSignOut } = props;
  return (
    <header className="bar">
      <div className="bar-row">
        <ProjectMenu />
        <LiveCount />
        <span className="grow" />
        {period || segments ? (
          <div className="bar-period">
            {segments ? <SegmentMenu hasFilters={period} /> : null}
            {period ? <AddFilter open={filterOpen} onOpenChange={onFilterOpen} /> : null}
            {compare ? <CompareMenu /> : null}
            {period ? <PeriodMenu /> : null}
          </div>
        ) : null}
        <div className="bar-tools">
          <Suspense fallback={null}>
            <Bell />
            <LinkMenu period={period} />
          </Suspense>
          <button
            type="button"
            className="button ghost square"
            aria-label="Search pages and actions"
            onClick={onPalette}
          >
            <Icon name="search" />
          </button>
          <AccountMenu onHelp={onHelp} onSignOut={onSignOut} />
        </div>
      </div>
      {period || segments ? <FilterChips hasFilters={period} /> : null}
    </header>
  );
}

function ProjectMenu() {
  const { projects, workspace } = useSession();
  const { project } = useView();
  const choose = useChooseProject();
  const navigate = useNavigate();
  const [isMaking, setMaking] = useState(false);
  const shown = projects.find(({ id }) => id === project);
  return (
    <>
      <Menu
        align="start"
        trigger={
          <button type="button" className="button ghost project-button">
            <strong>{shown?.name ?? "No project"}</strong>
            <Icon name="down" />
          </button>
        }
      >
        <MenuLabel>Projects</MenuLabel>
        {projects.map(({ id, name, workspaceName }) => (
          <MenuChoice key={id} checked={id === project} onSelect={() => choose(id)}>
            {workspaceName === undefined ? name : `${workspaceName} / ${name}`}
          </MenuChoice>
        ))}
        <MenuLine />
        <MenuItem icon="table" onSelect={() => void navigate({ to: "/app/projects" })}>
          All projects
        </MenuItem>
        {workspace.can.manageProjects ? (
          <MenuItem icon="plus" onSelect={() => setMaking(true)}>
            New project
          </MenuItem>
        ) : null}
      </Menu>
      {isMaking ? (
        <Suspense fallback={null}>
          <NewProject
            onClose={() => setMaking(false)}
            onMade={({ id }) =>
              void navigate({
                to: "/app/start",
                search: { project: id, segment: undefined, step: "connect" } as never,
              })
            }
          />
        </Suspense>
      ) : null}
    </>
  );
}

const THEME_LABELS: Readonly<Record<Theme, string>> = { auto: "As the system", light: "Light", dark: "Dark" };

function AccountMenu({ onHelp, onSignOut }: { onHelp: () => void; onSignOut: () => void }) {
  const { user, workspace } = useSession();
  const theme = useTheme();
  const navigate = useNavigate();
  return (
    <Menu
      trigger={
        <button type="button" className="button ghost square" aria-label="Account and theme">
          <Icon name="user" />
        </button>
      }
    >
      <MenuLabel>
        <strong>{user.name}</strong>
        <br />
        {workspace.name}
      </MenuLabel>
      <MenuLine />
      <MenuLabel>Theme</MenuLabel>
      {THEMES.map((name) => (
        <MenuChoice key={name} checked={theme === name} onSelect={() => setTheme(name)}>
          {THEME_LABELS[name]}
        </MenuChoice>
      ))}
      <MenuLine />
      <MenuItem icon="settings" onSelect={() => void navigate({ to: "/app/settings" })}>
        Settings
      </MenuItem>
      <MenuItem icon="external" onSelect={() => window.open(serviceUrl("/docs/guides"), "_blank", "noopener")}>
        Documentation
      </MenuItem>
      <MenuItem icon="help" hint="?" onSelect={onHelp}>
        Keyboard
      </MenuItem>
      <MenuItem icon="back" onSelect={onSignOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
