import { Command } from "cmdk";
import { useSession } from "../api/session.ts";
import { COMPARISONS, type Comparison, PERIOD_NAMES, PERIODS } from "../state/period.ts";
import { setTheme, THEMES } from "../state/theme.ts";
import { useSetSearch } from "../state/view.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { NAV_ITEMS, type NavPath } from "./nav-items.ts";

interface PaletteProps {
  onClose: () => void;
  onHelp: () => void;
  onGo: (to: NavPath) => void;
  onSignOut: () => void;
}

interface Action {
  label: string;
  icon: IconName;
  hint?: string;
  run: () => void;
}

/** Every page and action by its name. */
export function Palette({ onClose, onHelp, onGo, onSignOut }: PaletteProps) {
  const { projects } = useSession();
  const set = useSetSearch();
  const groups: [string, Action[]][] = [
    ["Pages", NAV_ITEMS.map(({ to, label, icon, key }) => ({ label, icon, hint: key, run: () => onGo(to) }))],
    [
      "Period",
      PERIOD_NAMES.filter((name) => name !== "custom").map((name) => ({
        label: PERIODS[name].label,
        icon: "calendar",
        hint: PERIODS[name].key.toUpperCase(),
        run: () => set({ period: name, from: undefined, to: undefined, interval: undefined }),
      })),
    ],
    [
      "Compare with",
      (["off", "previous", "weekdays", "year"] as const satisfies readonly Comparison[]).map((name) => ({
        label: COMPARISONS[name],
        icon: "chart",
        run: () => set({ compare: name, cfrom: undefined, cto: undefined }),
      })),
    ],
    ["Project", projects.map(({ id, name }) => ({ label: name, icon: "overview", run: () => set({ project: id }) }))],
    [
      "This page",
      [
        { label: "Remove all filters", icon: "filter", run: () => set({ f: undefined }) },
        ...THEMES.map((theme): Action => ({ label: `Theme: ${theme}`, icon: "sun", run: () => setTheme(theme) })),
        { label: "Keyboard", icon: "help", hint: "?", run: onHelp },
        { label: "Sign out", icon: "back", run: onSignOut },
      ],
    ],
  ];
  return (
    <Dialog title="Search pages and actions" onClose={onClose} bare>
      <Command label="Search pages and actions" className="palette" loop>
        <div className="palette-input">
          <Icon name="search" />
          <Command.Input placeholder="Go to, choose, change…" data-autofocus />
        </div>
        <Command.List className="palette-list" label="Pages and actions">
          <Command.Empty className="note">Nothing has this name.</Command.Empty>
          {groups.map(([title, actions]) => (
            <Command.Group key={title} heading={title}>
              {actions.map(({ label, icon, hint, run }) => (
                <Command.Item
                  key={label}
                  value={`${title} ${label}`}
                  onSelect={() => {
                    onClose();
                    run();
                  }}
                >
                  <Icon name={icon} />
                  <span className="grow">{label}</span>
                  {hint ? <kbd>{hint}</kbd> : null}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}
