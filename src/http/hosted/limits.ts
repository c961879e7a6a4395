import { ApiError } from "../../contract/errors.ts";
import type { RateVerdict } from "../../control/rate-limit.ts";
import type { HostedDeps, HostedRequest } from "./deps.ts";

/**
 * A person who is over the limit gets back what was typed, which takes reading it: so many times a minute and address,
 * and no more bytes than these.
 */
const GIVEN_BACK = { perSecond: 10 / 60, burst: 10 };
const GIVEN_BACK_BYTES = 64 * 1024;

/** Whether a post of a person who is over the limit is read, to give it back. */
export async function mayGiveBack(deps: HostedDeps, client: string, length: string | undefined): Promise<boolean> {
  if (length === undefined || Number(length) > GIVEN_BACK_BYTES) return false;
  return (await deps.givenBack.take(client, GIVEN_BACK)).allowed;
}

/**
 * The verdict that stopped a post, of those that count it: the client's address, the form's posts and the form's bytes.
 * Undefined when it may pass. Throws 503 when the disk has only its reserve left, which is for the event log.
 */
export async function findExceeded(
  deps: HostedDeps,
  request: Pick<HostedRequest, "overLimit" | "rawBody">,
  formId: string,
): Promise<{ what: "address" | "form"; verdict: RateVerdict } | undefined> {
  if (request.overLimit !== undefined) return { what: "address", verdict: request.overLimit };
  const form = await deps.perForm.limiter.take(formId, deps.perForm.policy);
  if (!form.allowed) return { what: "form", verdict: form };
  const bytes = await takeBytes(deps.formBytes, formId, request.rawBody?.length ?? 0);
  if (!bytes.allowed) return { what: "form", verdict: bytes };
  if (!(await deps.hasDiskRoom()))
    throw new ApiError("SERVICE_UNAVAILABLE", "The disk is nearly full: submissions are not taken at the moment", {
      headers: { "Retry-After": "60" },
    });
  return undefined;
}

/** One unit is a KiB, so that the limit of a day fits the limiter's counts. */
async function takeBytes({ limiter, policy }: HostedDeps["formBytes"], formId: string, bytes: number) {
  const taken = await limiter.take(`${formId} bytes`, policy);
  const more = Math.ceil(bytes / 1024) - 1;
  if (taken.allowed && more > 0) await limiter.charge(`${formId} bytes`, policy, more);
  return taken;
}
