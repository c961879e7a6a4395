import { SCOPES, type Scope } from "./scopes.ts";

/**
 * The roles of a workspace's members, each with all rights of those after it. `owner`: one person. `admin`: everything
 * but making admins and what belongs to the owner. `editor`: changes content and runs SQL; no keys, members or project
 * settings. `viewer`: reads.
 */
export const MEMBER_ROLES = ["owner", "admin", "editor", "viewer"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export function isMemberRole(text: string): text is MemberRole {
  return (MEMBER_ROLES as readonly string[]).includes(text);
}

/** True if `held` has all rights of `needed`. */
export function hasRole(held: MemberRole, needed: MemberRole): boolean {
  return MEMBER_ROLES.indexOf(held) <= MEMBER_ROLES.indexOf(needed);
}

/** The scopes that a session of this role has, as if it were an API key. */
export function scopesOfRole(role: MemberRole): readonly Scope[] {
  return hasRole(role, "editor") ? SCOPES : SCOPES.filter((scope) => scope.endsWith(":read"));
}

/** The roles that a member may give to others or take from them. Ownership is handed over by the owner. */
export function rolesGivenBy(role: MemberRole): readonly MemberRole[] {
  if (role === "owner") return MEMBER_ROLES;
  return role === "admin" ? ["editor", "viewer"] : [];
}
