/** What a node does; a process may do any of them together. */
export const ROLES = ["api", "ingest", "worker"] as const;
export type Role = (typeof ROLES)[number];
