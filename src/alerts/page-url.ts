import type { PageUrl } from "./messages.ts";

/** Pages below the public address of the dashboard. */
export function createPageUrl(publicUrl: () => string): PageUrl {
  return (path, query) => {
    const base = publicUrl();
    return base === "" ? undefined : `${base.replace(/\/+$/, "")}${path}?${new URLSearchParams(query)}`;
  };
}
