import type { Route } from "./route.ts";

/** The methods of a path, for the Allow header of a 405. Computed only for a request that matched no route. */
export function createMethodFinder(
  routes: readonly Pick<Route, "method" | "path">[],
): (path: string) => readonly string[] {
  const table = routes.map((route) => ({ method: route.method, pattern: toPattern(route.path) }));
  return (path) => {
    const found = new Set<string>();
    for (const { method, pattern } of table) if (pattern.test(path)) found.add(method);
    if (found.has("GET")) found.add("HEAD");
    return [...found].sort();
  };
}

function toPattern(path: string): RegExp {
  const parts = path
    .split("/")
    .map((part) => (part === "*" ? ".+" : part.startsWith(":") ? "[^/]+" : RegExp.escape(part)));
  return new RegExp(`^${parts.join("/")}/?$`);
}
