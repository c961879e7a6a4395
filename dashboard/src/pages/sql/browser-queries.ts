/** Queries that this browser kept before projects did. They can only be moved to the project. */
import { queriesKey } from "../../state/stored.ts";

export interface BrowserQuery {
  name: string;
  text: string;
}

export function readBrowserQueries(userId: string, project: string): BrowserQuery[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(queriesKey(userId, project)) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isQuery) : [];
  } catch {
    // Without storage, or with something else in it, there is nothing saved.
    return [];
  }
}

export function keepBrowserQueries(userId: string, project: string, left: readonly BrowserQuery[]): void {
  const key = queriesKey(userId, project);
  if (left.length === 0) localStorage.removeItem(key);
  else localStorage.setItem(key, JSON.stringify(left));
}

function isQuery(value: unknown): value is BrowserQuery {
  const { name, text } = (value ?? {}) as Record<string, unknown>;
  return typeof name === "string" && typeof text === "string" && name.trim() !== "" && text !== "";
}
