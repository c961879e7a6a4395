import type { Config } from "./config.ts";

/**
 * A first try on one machine: nobody else can reach the service. Its webhooks may go to loopback then, where the first target of a try is. As soon as
 * others can reach it, through a proxy or under a public URL, a tenant could call every service of the host there and read its answer.
 */
export function isPrivateTrial(
  config: Pick<Config, "HOST" | "PUBLIC_API_URL" | "PUBLIC_EVENTS_URL" | "TRUSTED_PROXIES">,
): boolean {
  const urls = [config.PUBLIC_API_URL, config.PUBLIC_EVENTS_URL].filter((url) => url !== "");
  return (
    isLoopback(config.HOST) &&
    config.TRUSTED_PROXIES.length === 0 &&
    urls.every((url) => isLoopback(new URL(url).hostname))
  );
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
