/**
 * The path below which a proxy publishes the API server: the path of its public URL, without a slash at the end. Empty
 * in most installations.
 */
export function pathPrefix(publicApiUrl: string): string {
  return URL.canParse(publicApiUrl) ? new URL(publicApiUrl).pathname.replace(/\/+$/, "") : "";
}

/** Some proxies remove the prefix, some pass it on: both work. */
export function withoutPrefix(url: string, prefix: string): string {
  if (prefix === "" || !url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : url;
}
