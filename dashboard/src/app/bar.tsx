import { useState } from "react";
import { useSession } from "../api/session.ts";
import { setTheme, THEMES, type Theme, useTheme } from "../state/theme.ts";
import { useSetSearch, useView } from "../state/view.ts";
import { copyText } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLine } from "../ui/menu.tsx";
import { AddFilter, FilterChips } from "./filter-chips.tsx";
import { LiveCount } from "./live-count.tsx";
import { CompareMenu, PeriodMenu } from "./period-menu.tsx";

export interface BarProps {
  /** Pages without a period, such as settings, have only project and tools. */
  period: boolean;
  /** Pages that show a comparison. */
  compare: boolean;
  filterOpen: boolean;
  onFilterOpen: (open: boolean) => void;
  onPalette: () => void;
  onHelp: () => void;
  onSignOut: () => void;
}

/** The bar above every page. */
export function Bar({ period, compare, filterOpen, onFilterOpen, onPalette, onHelp, onSignOut }: BarProps) {
  return (
    <header className="bar">
      <div className="bar-row">
        <ProjectMenu />
        <LiveCount />
        <span className="grow" />
        {period ? (
          <div className="bar-period">
            <AddFilter open={filterOpen} onOpenChange={onFilterOpen} />
            {compare ? <CompareMenu /> : null}
            <PeriodMenu />
          </div>
        ) : null}
        <div className="bar-tools">
          <ShareButton />
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
      {period ? <FilterChips /> : null}
    </header>
  );
}

function ProjectMenu() {
  const { projects } = useSession();
  const { project } = useView();
  const set = useSetSearch();
  const shown = projects.find(({ id }) => id === project);
  return (
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
        <MenuChoice key={id} checked={id === project} onSelect={() => set({ project: id })}>
          {workspaceName === undefined ? name : `${workspaceName} / ${name}`}
        </MenuChoice>
      ))}
    </Menu>
  );
}

const SHOWN_MS = 1500;

/** Copies the address of the page: it holds period, comparison, filters and open tabs. */
function ShareButton() {
  const [copied, setCopied] = useState(false);
  const share = async () => {
    if (await copyText(location.href)) setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <button
      type="button"
      className="button ghost square"
      aria-label="Copy a link to this view"
      onClick={() => void share()}
    >
      <Icon name={copied ? "check" : "share"} />
      <span className="hidden" aria-live="polite">
        {copied ? "Link copied" : ""}
      </span>
    </button>
  );
}

const THEME_LABELS: Readonly<Record<Theme, string>> = { auto: "As the system", light: "Light", dark: "Dark" };

function AccountMenu({ onHelp, onSignOut }: { onHelp: () => void; onSignOut: () => void }) {
  const { user, workspace } = useSession();
  const theme = useTheme();
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
      <MenuItem icon="help" hint="?" onSelect={onHelp}>
        Keyboard
      </MenuItem>
      <MenuItem icon="back" onSelect={onSignOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
