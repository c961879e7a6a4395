import { useEffect, useRef } from "react";

/** A key, as `KeyboardEvent.key` names it -> what it does. */
export type Shortcuts = Readonly<Record<string, (() => void) | undefined>>;

/** Runs on keys that no field, list or open dialog takes. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const ref = useRef(shortcuts);
  ref.current = shortcuts;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return;
      const palette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
      if (!palette && (event.ctrlKey || event.metaKey || isTakenBy(event.target))) return;
      const run = ref.current[palette ? "mod+k" : event.key];
      if (run === undefined) return;
      event.preventDefault();
      run();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

function isTakenBy(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open]") !== null) return true;
  // Right after Escape the field of the closed dialog still has the focus.
  if (!(target instanceof Element) || target.closest("dialog") !== null) return false;
  return (
    target.closest("input, textarea, select, [contenteditable], [role=menu], [role=tablist], .popover, .keys") !== null
  );
}
