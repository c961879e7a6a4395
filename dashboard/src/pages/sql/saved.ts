import { useState } from "react";
import { useSession } from "../../api/session.ts";
import { queriesKey } from "../../state/stored.ts";

export interface SavedQuery {
  name: string;
  text: string;
}

const MOST = 100;

function read(key: string): SavedQuery[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isSaved) : [];
  } catch {
    // Without storage, or with something else in it, there is nothing saved.
    return [];
  }
}

function isSaved(value: unknown): value is SavedQuery {
  const { name, text } = (value ?? {}) as Record<string, unknown>;
  return typeof name === "string" && typeof text === "string";
}

export function useSaved(project: string) {
  const { user } = useSession();
  const key = queriesKey(user.id, project);
  const [saved, setSaved] = useState(() => read(key));
  const keep = (next: SavedQuery[]) => {
    setSaved(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // They last as long as the page.
    }
  };
  return {
    saved,
    save: (name: string, text: string) =>
      keep([{ name, text }, ...saved.filter((query) => query.name !== name)].slice(0, MOST)),
    remove: (name: string) => keep(saved.filter((query) => query.name !== name)),
  };
}
