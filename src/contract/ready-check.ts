import type { Role } from "./roles.ts";

/** A dependency of the service. `check` resolves if it is available; otherwise it rejects with a public sentence. */
export interface ReadyCheck {
  name: string;
  /**
   * Roles that cannot work at all without it; for other roles it is only reported. A load balancer removes a node that
   * is not ready, and a store is unavailable to all nodes at once: no node would be left to accept events.
   */
  neededBy: readonly Role[];
  check(): Promise<void>;
}
