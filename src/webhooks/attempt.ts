/** Builds the request of an attempt: its URL, body and headers. `send.ts` sends it and adds only `user-agent`. */
import type { SecretBox } from "../control/secret-box.ts";
import type { Claimed } from "./claim.ts";
import type { Lane } from "./lanes.ts";
import type { AttemptRequest } from "./send.ts";
import { signPayload } from "./sign.ts";

/** The time limit of a whole attempt: DNS, connection, TLS, request and answer. */
const ATTEMPT_MS = 15_000;

/**
 * A process that was frozen, or waited that long for its store, may wake after its lease: the delivery is then somebody
 * else's. The lease is longer than an attempt by what a settlement takes, so an attempt that begins later may outlive it.
 */
export function mayStillBegin(delivery: Claimed, steadyMs: number): boolean {
  return steadyMs < delivery.claimedAtMs + ATTEMPT_MS;
}

/** The request, signed for this moment. Its id is the delivery's, so it is the same at every attempt. */
export function toRequest(box: SecretBox, delivery: Claimed, nowMs: number): AttemptRequest {
  const timestampS = Math.floor(nowMs / 1000);
  const { id, payload: body, lane } = delivery;
  return {
    url: lane.targetUrl,
    body,
    deadlineMs: ATTEMPT_MS,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(timestampS),
      "webhook-signature": signPayload({ id, timestampS, body, secrets: openSecrets(box, lane, nowMs) }),
    },
  };
}

/** The current secret and, during a rotation, the previous one until it expires. */
function openSecrets(box: SecretBox, lane: Lane, nowMs: number): string[] {
  const secrets = [box.open(lane.webhookId, lane.sealedSecret)];
  if (lane.sealedPrevious !== null && (lane.previousUntilMs ?? 0) > nowMs)
    secrets.push(box.open(lane.webhookId, lane.sealedPrevious));
  return secrets;
}
