import { SCOPES, type Scope } from "./scopes.ts";

/**
 * The roles of a workspace's members, each with all rights of those after it. `owner`: one person. `admin`: everything
 * but making admins and what belongs to the owner. `editor`: changes content and runs SQL; no keys, members or project
 * settings. `viewer`: reads.
 */
export const MEMBER_ROLES = ["owner", "admin", "editor", "viewer"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** True if `held` has all rights of `needed`. */
export function hasRole(held: MemberRole, needed: MemberRole): boolean {
  return MEMBER_ROLES.indexOf(held) <= MEMBER_ROLES.indexOf(needed);
}

/** The scopes that a session of this role has, as if it were an API key. */
export function scopesOfRole(role: MemberRole): readonly Scope[] {
  return hasRole(role, "editor") ? SCOPES : SCOPES.filter((scope) => scope.endsWith(":read"));
}
