/** The roles of a node; a process may have several. */
export const ROLES = ["api", "ingest", "worker"] as const;
export type Role = (typeof ROLES)[number];
