import type { RateVerdict } from "../../control/rate-limit.ts";
import type { HostedDeps } from "../route.ts";

/**
 * A person who is over the limit gets back what was typed, which takes reading it: so many times a minute and address, and
 * no more bytes than these.
 */
const GIVEN_BACK = { perSecond: 10 / 60, burst: 10 };
const GIVEN_BACK_BYTES = 64 * 1024;

/** Whether a post of a person who is over the limit is read, to give it back. */
export async function mayGiveBack(deps: HostedDeps, client: string, length: string | undefined): Promise<boolean> {
  if (length === undefined || Number(length) > GIVEN_BACK_BYTES) return false;
  return (await deps.givenBack.take(client, GIVEN_BACK)).allowed;
}

/** The verdict that stopped a post, of the two that count it: the client's address and the form. Undefined when it may pass. */
export async function findExceeded(
  deps: HostedDeps,
  overLimit: RateVerdict | undefined,
  formId: string,
): Promise<{ what: "address" | "form"; verdict: RateVerdict } | undefined> {
  if (overLimit !== undefined) return { what: "address", verdict: overLimit };
  const form = await deps.perForm.limiter.take(formId, deps.perForm.policy);
  return form.allowed ? undefined : { what: "form", verdict: form };
}
