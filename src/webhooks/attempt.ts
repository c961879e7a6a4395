/** Builds the request of an attempt: its URL, body and headers. `send.ts` sends it and adds only `user-agent`. */
import type { SecretBox } from "../control/secret-box.ts";
import type { Claimed } from "./claim.ts";
import type { Lane } from "./lanes.ts";
import type { AttemptRequest } from "./send.ts";
import { STYLES } from "./styles.ts";

/** The time limit of a whole attempt, from its claim: DNS, connection, TLS, request and answer. */
const ATTEMPT_MS = 15_000;

/**
 * How much of that is left, in milliseconds. It runs from the claim, as the lease does, which is longer by the time of a
 * settlement: a process that was frozen, or waited for its store, may come so late that the delivery is somebody else's.
 */
export function findTimeLeft(delivery: Claimed, steadyMs: number): number {
  return delivery.claimedAtMs + ATTEMPT_MS - steadyMs;
}

/** The request in the style of its subscription, signed for this moment. */
export function toRequest(box: SecretBox, delivery: Claimed, nowMs: number): Omit<AttemptRequest, "deadlineMs"> {
  const { id, payload, eventType, lane } = delivery;
  const { targetUrl, sourceId } = lane;
  const secrets = openSecrets(box, lane, nowMs);
  const shaped = STYLES[lane.style]({ id, payload, eventType, targetUrl, sourceId, secrets, nowMs });
  return { url: targetUrl, ...shaped };
}

/** The current secret and, during a rotation, the previous one until it expires. */
function openSecrets(box: SecretBox, lane: Lane, nowMs: number): string[] {
  const secrets = [box.open(lane.webhookId, lane.sealedSecret)];
  if (lane.sealedPrevious !== null && (lane.previousUntilMs ?? 0) > nowMs)
    secrets.push(box.open(lane.webhookId, lane.sealedPrevious));
  return secrets;
}
