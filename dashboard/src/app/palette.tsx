import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useSession } from "../api/session.ts";
import { COMPARISONS, type Comparison, PERIOD_NAMES, PERIODS } from "../state/period.ts";
import { setTheme, THEMES } from "../state/theme.ts";
import { useSetSearch } from "../state/view.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { useChooseProject } from "./choose-project.ts";
import { NAV_PAGES, type PagePath } from "./pages.ts";

interface PaletteProps {
  onClose: () => void;
  onHelp: () => void;
  onGo: (to: PagePath) => void;
  onSignOut: () => void;
}

interface Action {
  group: string;
  label: string;
  icon: IconName;
  hint?: string;
  run: () => void;
}

/**
 * Every page and action by its name. Written by hand: the list is short, and the package for it keeps naming an option
 * that it has filtered out, which screen readers cannot follow.
 */
export function Palette({ onClose, ...on }: PaletteProps) {
  const actions = useActions(on);
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  const ids = useId();
  const list = useRef<HTMLDivElement>(null);
  const found = actions.filter((action) => matches(`${action.group} ${action.label}`, wanted));
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.querySelector(`#${CSS.escape(`${ids}-${chosen}`)}`)?.scrollIntoView({ block: "nearest" });
  }, [chosen, ids]);
  const run = (action: Action | undefined) => {
    if (action === undefined) return;
    onClose();
    action.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      setAt((chosen + move + found.length) % Math.max(1, found.length));
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[chosen]);
    }
  };
  return (
    <Dialog title="Search pages and actions" onClose={onClose} bare>
      <div className="palette">
        <div className="palette-input">
          <Icon name="search" />
          <input
            type="text"
            role="combobox"
            aria-label="Search pages and actions"
            aria-expanded="true"
            aria-controls={`${ids}-list`}
            aria-activedescendant={found.length > 0 ? `${ids}-${chosen}` : undefined}
            placeholder="Go to, choose, change…"
            spellCheck={false}
            autoComplete="off"
            data-autofocus
            value={wanted}
            onChange={({ target }) => {
              setWanted(target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
          />
        </div>
        <div ref={list} id={`${ids}-list`} role="listbox" aria-label="Pages and actions" className="palette-list">
          <Groups found={found} chosen={chosen} ids={ids} onAt={setAt} onRun={run} />
        </div>
        {found.length === 0 ? <p className="note palette-none">Nothing has this name.</p> : null}
      </div>
    </Dialog>
  );
}

interface GroupsProps {
  found: readonly Action[];
  chosen: number;
  ids: string;
  onAt: (index: number) => void;
  onRun: (action: Action) => void;
}

function Groups({ found, chosen, ids, onAt, onRun }: GroupsProps) {
  const groups = [...new Set(found.map(({ group }) => group))];
  return (
    <>
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, not fieldsets.
        <div key={group} role="group" aria-label={group}>
          <div className="palette-group" aria-hidden="true">
            {group}
          </div>
          {found.map((action, index) =>
            action.group === group ? (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys.
              // biome-ignore lint/a11y/useFocusableInteractive: see above.
              <div
                key={action.label}
                id={`${ids}-${index}`}
                role="option"
                aria-selected={index === chosen}
                className="palette-item"
                onPointerMove={() => onAt(index)}
                onClick={() => onRun(action)}
              >
                <Icon name={action.icon} />
                <span className="grow">{action.label}</span>
                {action.hint ? <kbd>{action.hint}</kbd> : null}
              </div>
            ) : null,
          )}
        </div>
      ))}
    </>
  );
}

/** Every typed word is in the text, in any order. */
function matches(text: string, wanted: string): boolean {
  const words = wanted.toLowerCase().split(/\s+/);
  return words.every((word) => text.toLowerCase().includes(word));
}

function useActions({ onHelp, onGo, onSignOut }: Omit<PaletteProps, "onClose">): Action[] {
  const { projects } = useSession();
  const choose = useChooseProject();
  const set = useSetSearch();
  const comparisons: readonly Comparison[] = ["off", "previous", "weekdays", "year"];
  return [
    ...NAV_PAGES.map(({ path, label, icon, key }) => ({
      group: "Pages",
      label,
      icon,
      ...(key === undefined ? {} : { hint: key }),
      run: () => onGo(path),
    })),
    ...PERIOD_NAMES.filter((name) => name !== "custom").map((name) => ({
      group: "Period",
      label: PERIODS[name].label,
      icon: "calendar" as const,
      hint: PERIODS[name].key.toUpperCase(),
      run: () => set({ period: name, from: undefined, to: undefined, interval: undefined }),
    })),
    ...comparisons.map((name) => ({
      group: "Compare with",
      label: COMPARISONS[name],
      icon: "chart" as const,
      run: () => set({ compare: name, cfrom: undefined, cto: undefined }),
    })),
    ...projects.map(({ id, name }) => ({
      group: "Project",
      label: name,
      icon: "overview" as const,
      run: () => choose(id),
    })),
    { group: "Project", label: "All projects", icon: "overview", run: () => onGo("/app/projects") },
    { group: "This page", label: "Remove all filters", icon: "filter", run: () => set({ f: undefined }) },
    ...THEMES.map((theme) => ({
      group: "This page",
      label: `Theme: ${theme}`,
      icon: "sun" as const,
      run: () => setTheme(theme),
    })),
    { group: "This page", label: "Keyboard", icon: "help", hint: "?", run: onHelp },
    { group: "This page", label: "Sign out", icon: "back", run: onSignOut },
  ];
}
