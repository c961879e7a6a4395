import type { Config } from "./config.ts";

/**
 * A private trial on one machine: nobody else can reach the service. Its webhooks may then reach loopback, where the
 * first target usually is. Once others can reach the service, through a proxy or under a public URL, a tenant could
 * call every service on the host and read its answers.
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
