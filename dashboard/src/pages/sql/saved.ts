import { useState } from "react";

/** Queries that somebody keeps in this browser. */
export interface SavedQuery {
  name: string;
  text: string;
}

const KEY = "sextant.queries";
const MOST = 100;

function read(): SavedQuery[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
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

export function useSaved() {
  const [saved, setSaved] = useState(read);
  const keep = (next: SavedQuery[]) => {
    setSaved(next);
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
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
