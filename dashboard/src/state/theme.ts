import { useSyncExternalStore } from "react";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "sextant.theme";
const listeners = new Set<() => void>();
let current: Theme = readTheme();

/** The choice of this browser; without storage (a private window) it lasts as long as the page. */
function readTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

export function applyTheme(): void {
  const root = document.documentElement;
  if (current === "auto") delete root.dataset.theme;
  else root.dataset.theme = current;
}

export function setTheme(theme: Theme): void {
  current = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The page still changes; see readTheme.
  }
  applyTheme();
  for (const notify of listeners) notify();
}

export function useTheme(): Theme {
  return useSyncExternalStore(
    (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    () => current,
  );
}
