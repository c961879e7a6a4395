import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { DASHBOARD_ROUTES } from "../../src/http/dashboard/mount.ts";

const SOURCES = resolve(import.meta.dirname, "../../dashboard/src");
const FOLDERS = resolve(SOURCES, "pages");

interface Page {
  path: string;
  label: string;
  key?: string;
  hasPeriod?: true;
  compares?: true;
  ofWorkspace?: true;
  load?: () => unknown;
}

// By a path that the compiler does not follow: the list names all pages, and those are of the dashboard's own project.
const { findPage, NAV_PAGES, PAGES, SHARED_PAGE, SIGN_IN_PAGES } = (await import(`${SOURCES}/app/pages.ts`)) as {
  findPage: (path: string) => Page | undefined;
  NAV_PAGES: readonly Page[];
  PAGES: readonly Page[];
  SHARED_PAGE: Page;
  SIGN_IN_PAGES: readonly Page[];
};

test("every page has a path and a label of its own, and each digit opens one of the navigation", () => {
  const keys = PAGES.flatMap(({ key }) => key ?? []);
  for (const values of [PAGES.map(({ path }) => path), PAGES.map(({ label }) => label), keys] as string[][])
    assert.equal(new Set(values).size, values.length, values.join(" "));
  assert.equal(keys.filter((key) => /\d/.test(key)).join(""), "1234567890");
  for (const page of PAGES) if (page.key !== undefined) assert.ok(NAV_PAGES.includes(page), page.path);
});

test("every folder of pages is in the list, and one page alone is part of the first script", () => {
  const loads = [...PAGES, ...SIGN_IN_PAGES, SHARED_PAGE].map((page) => page.load?.toString() ?? "");
  const listed = loads.map((text) => /pages\/([^/]+)\//.exec(text)?.[1] ?? "overview");
  assert.deepEqual([...new Set(listed)].sort(), readdirSync(FOLDERS).sort());
  assert.equal(loads.filter((text) => text === "").length, 1);
});

test("the service answers every path of a page with the dashboard", () => {
  const served: readonly string[] = DASHBOARD_ROUTES.map(({ path }) => path);
  for (const { path } of SIGN_IN_PAGES) assert.ok(served.includes(path), path);
  assert.ok(served.includes(SHARED_PAGE.path.replace("$", ":")));
  for (const { path } of PAGES) assert.ok(path === "/app" ? served.includes(path) : served.includes("/app/*"), path);
});

test("a path has the bar of its page: period, comparison and the note of the demo", () => {
  const has = (path: string) => {
    const { hasPeriod = false, compares = false, ofWorkspace = false } = findPage(path) ?? {};
    return [hasPeriod && "period", compares && "comparison", ofWorkspace && "workspace"].filter(Boolean).join(" ");
  };
  const cases: [path: string, has: string][] = [
    ["/app", "period comparison"],
    ["/app/", "period comparison"],
    ["/app/live", ""],
    ["/app/activity", "period"],
    ["/app/wallets", ""],
    ["/app/wallets/wallet", ""],
    ["/app/funnels", "period"],
    ["/app/retention", "period"],
    ["/app/flows", "period"],
    ["/app/sql", ""],
    ["/app/forms", "workspace"],
    ["/app/forms/", "workspace"],
    ["/app/settings", "workspace"],
    ["/app/settings/keys", "workspace"],
    ["/app/system", "workspace"],
    ["/app/projects", "period workspace"],
    ["/app/start", "workspace"],
  ];
  for (const [path, expected] of cases) assert.equal(has(path), expected, path);
});

test("a path that only begins like a page is none", () => {
  for (const path of ["/app/lives", "/app/nothing", "/application", "/"]) assert.equal(findPage(path), undefined, path);
});
