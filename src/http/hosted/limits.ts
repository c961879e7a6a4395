import type { RateVerdict } from "../../control/rate-limit.ts";
import type { HostedDeps } from "../route.ts";

/** The verdict that stopped a post, of the two that count it: the client's address and the form. Undefined when it may pass. */
export async function findExceeded(
  deps: HostedDeps,
  client: string,
  formId: string,
): Promise<{ what: "address" | "form"; verdict: RateVerdict } | undefined> {
  const address = await deps.perAddress.limiter.take(client, deps.perAddress.policy);
  if (!address.allowed) return { what: "address", verdict: address };
  const form = await deps.perForm.limiter.take(formId, deps.perForm.policy);
  return form.allowed ? undefined : { what: "form", verdict: form };
}
