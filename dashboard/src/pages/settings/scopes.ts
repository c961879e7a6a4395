/** The scopes of an API key in the words of a person: what it may read, and what it may change. */
import { allows, SCOPES, type Scope } from "../../../../src/contract/scopes.ts";

const NAMES: Readonly<Record<string, string>> = {
  query: "Reports and SQL",
  forms: "Forms, answers and webhooks",
  boards: "Boards, annotations and saved queries",
  alerts: "Alerts",
  contracts: "Contracts",
  segments: "Segments",
  profiles: "Profiles",
};

export interface ScopeArea {
  name: string;
  label: string;
  read: Scope;
  /** Absent where there is nothing to change. */
  write: Scope | undefined;
}

export const AREAS: readonly ScopeArea[] = SCOPES.filter((scope) => scope.endsWith(":read")).map((read) => {
  const name = read.slice(0, -":read".length);
  return { name, label: NAMES[name] ?? name, read, write: SCOPES.find((scope) => scope === `${name}:write`) };
});

export function scopesText(held: readonly Scope[]): string {
  if (SCOPES.every((scope) => allows(held, scope))) return "read and change everything";
  return AREAS.filter(({ read }) => allows(held, read))
    .map(({ label, write }) => `${label}${write && held.includes(write) ? " (change)" : ""}`)
    .join(", ");
}
