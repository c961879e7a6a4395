/**
 * Drivers that know no path ask at `/`, where a browser gets the dashboard. A GET of theirs is the endpoint's: the page
 * with its 200 would look like an answer, also to a wrong password.
 */
import type { IncomingMessage } from "node:http";

/** Parameters that only a client of ClickHouse sends to `/`. */
const PARAMETER = /^\/?\?(?:.*&)?(?:query|default_format|database|user|password)=/s;

/** The URL of a request, without the prefix of a proxy. */
export function toEndpoint({ method, headers }: Pick<IncomingMessage, "method" | "headers">, url: string): string {
  if (method !== "GET" || !/^\/(?:\?|$)/.test(url)) return url;
  const isOurs =
    PARAMETER.test(url) || headers["x-clickhouse-key"] !== undefined || headers["x-clickhouse-user"] !== undefined;
  return isOurs ? `/clickhouse${url.slice(1)}` : url;
}
