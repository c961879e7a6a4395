import type { Role } from "./roles.ts";

/** One thing the service uses; `check` resolves when it is available and rejects with a public sentence when it is not. */
export interface ReadyCheck {
  name: string;
  /**
   * Roles that can do nothing for anybody without it. For the other roles it is reported only. A load balancer removes a node that is not
   * ready, and a store is unavailable to all nodes at once: no node would be left to accept the events that they can accept.
   */
  neededBy: readonly Role[];
  check(): Promise<void>;
}
