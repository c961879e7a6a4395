import { cloneElement, createContext, type KeyboardEvent, type ReactNode, useContext, useEffect } from "react";
import { type Align, useFloating } from "./floating.ts";
import { Icon, type IconName } from "./icon.tsx";
import type { TriggerElement } from "./popover.tsx";

export interface MenuProps {
  trigger: TriggerElement;
  children: ReactNode;
  align?: Align;
}

const CloseMenu = createContext<() => void>(() => undefined);

/** A list of commands or choices at its button; the arrow keys, Home, End and first letters move in it. */
export function Menu({ trigger, children, align = "end" }: MenuProps) {
  const { triggerRef, panelRef, open, setOpen, close } = useFloating(align);
  const items = () => [...(panelRef.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it opens.
  useEffect(() => {
    if (open) (items().find((item) => item.ariaChecked === "true") ?? items()[0])?.focus();
  }, [open]);
  const onKeyDown = (event: KeyboardEvent) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const moves: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const isCommand = event.ctrlKey || event.metaKey || event.altKey;
    const index = moves[event.key] ?? (isCommand ? undefined : letterIndex(all, at, event.key));
    if (event.key === "Tab") setOpen(false);
    if (index === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    all.at(index % all.length)?.focus();
  };
  return (
    <CloseMenu.Provider value={close}>
      {cloneElement(trigger, {
        ref: triggerRef,
        "aria-haspopup": "menu",
        "aria-expanded": open,
        onClick: () => setOpen(!open),
      })}
      {open ? (
        <div ref={panelRef} popover="manual" role="menu" className="popover menu" onKeyDown={onKeyDown}>
          {children}
        </div>
      ) : null}
    </CloseMenu.Provider>
  );
}

function letterIndex(items: readonly HTMLElement[], at: number, key: string): number | undefined {
  if (key.length !== 1 || key === " ") return undefined;
  const starts = (item: HTMLElement) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()) ?? false;
  const after = items.findIndex((item, index) => index > at && starts(item));
  const found = after === -1 ? items.findIndex(starts) : after;
  return found === -1 ? undefined : found;
}

interface MenuItemProps {
  children: ReactNode;
  onSelect: () => void;
  icon?: IconName;
  hint?: string;
  danger?: boolean;
  disabled?: boolean;
}

export function MenuItem({ children, onSelect, icon, hint, danger, disabled = false }: MenuItemProps) {
  const close = useContext(CloseMenu);
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={danger ? "menu-item danger" : "menu-item"}
      aria-disabled={disabled || undefined}
      onClick={() => {
        if (disabled) return;
        close();
        onSelect();
      }}
    >
      {icon ? <Icon name={icon} /> : null}
      <span className="grow">{children}</span>
      {hint ? <kbd>{hint}</kbd> : null}
    </button>
  );
}

export function MenuChoice(props: { children: ReactNode; checked: boolean; onSelect: () => void; hint?: string }) {
  const close = useContext(CloseMenu);
  return (
    <button
      type="button"
      role="menuitemradio"
      aria-checked={props.checked}
      tabIndex={-1}
      className="menu-item"
      onClick={() => {
        close();
        props.onSelect();
      }}
    >
      <span className="menu-check">{props.checked ? <Icon name="check" /> : null}</span>
      <span className="grow">{props.children}</span>
      {props.hint ? <kbd>{props.hint}</kbd> : null}
    </button>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <div className="menu-label">{children}</div>;
}

export function MenuLine() {
  return <hr className="menu-line" />;
}
