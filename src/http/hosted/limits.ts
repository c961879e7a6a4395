import type { RateVerdict } from "../../control/rate-limit.ts";
import type { HostedDeps } from "../route.ts";

/**
 * The limit that refused a post: the one of the client's address or the one of the form. Undefined if the post may
 * pass.
 */
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
