/** The permissions of an API key. A write scope includes its read scope; the scopes of an existing key never change. */
export const SCOPES = [
  "query:read",
  "forms:read",
  "forms:write",
  "alerts:read",
  "alerts:write",
  "boards:read",
  "boards:write",
  "contracts:read",
  "contracts:write",
  "segments:read",
  "segments:write",
  "profiles:read",
  "profiles:write",
] as const;

export type Scope = (typeof SCOPES)[number];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** True if a key with the scopes `held` has the scope `wanted`. */
export function allows(held: readonly Scope[], wanted: Scope): boolean {
  return (
    held.includes(wanted) || (wanted.endsWith(":read") && held.includes(wanted.replace(":read", ":write") as Scope))
  );
}
