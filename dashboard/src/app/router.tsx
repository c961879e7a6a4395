import { notifyManager, QueryCache, QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  retainSearchParams,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import { RequestFailed } from "../api/failure.ts";
import { Overview } from "../pages/overview/overview.tsx";
import { parseSearch, type RawSearch, readViewSearch, stringifySearch, text, VIEW_KEYS } from "../state/search.ts";
import { NotFoundPage, PageFailure } from "./page-states.tsx";
import { PAGES, type PagePath, SHARED_PAGE, SIGN_IN_PAGES } from "./pages.ts";
import { Shell } from "./shell.tsx";

// Otherwise a timer: on a busy page the second click of a double click was there before the button was greyed, and wrote
// twice.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (failure) => void signInOn401(failure) }),
  // "always": what the browser believes about the network says nothing about a service on this machine, and a request
  // that waits for it would leave the numbers of another period on the screen.
  defaultOptions: {
    queries: { refetchOnWindowFocus: true, gcTime: 300_000, networkMode: "always" },
    mutations: { onError: signInOn401, networkMode: "always" },
  },
});

/** A session that has ended leads to the sign-in page, and from there back to the same view. */
async function signInOn401(failure: unknown): Promise<void> {
  if (!(failure instanceof RequestFailed) || failure.status !== 401) return;
  const { pathname, searchStr } = router.state.location;
  if (!pathname.startsWith("/app")) return;
  await router.navigate({ to: "/sign-in", search: { next: `${pathname}${searchStr}` } });
}

const root = createRootRouteWithContext()({ component: Outlet, notFoundComponent: NotFoundPage });

const index = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: () => <Navigate to="/app" replace />,
});

const signInPage = <const Path extends string>({ path, load }: { path: Path; load: () => Promise<ComponentType> }) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazy(load),
    validateSearch: (raw: RawSearch): { next?: string | undefined } => ({ next: ownPath(raw.next) }),
  });

function lazy(load: () => Promise<ComponentType>) {
  return lazyRouteComponent(async () => ({ default: await load() }));
}

/** Only a path of this page: a link may not lead elsewhere after the sign-in. */
function ownPath(value: unknown): string | undefined {
  const path = text(value);
  return path !== undefined && /^\/app([/?]|$)/.test(path) ? path : undefined;
}

const shared = createRoute({
  getParentRoute: () => root,
  path: SHARED_PAGE.path,
  component: lazy(SHARED_PAGE.load),
});

const app = createRoute({
  getParentRoute: () => root,
  path: "/app",
  component: Shell,
  errorComponent: PageFailure,
  notFoundComponent: NotFoundPage,
  // Pages read their own parameters; only the shared ones are checked here.
  validateSearch: (raw: RawSearch) => ({ ...raw, ...dropped(raw), ...readViewSearch(raw) }),
  search: { middlewares: [retainSearchParams([...VIEW_KEYS])] },
});

function dropped(raw: RawSearch): RawSearch {
  return Object.fromEntries(VIEW_KEYS.filter((key) => key in raw).map((key) => [key, undefined]));
}

/** The path of a page below that of the frame. */
type Below<Path extends PagePath> = Path extends `/app/${infer Rest}` ? Rest : "/";

const appPage = <const Path extends PagePath>({ path, load }: { path: Path; load?: () => Promise<ComponentType> }) =>
  createRoute({
    getParentRoute: () => app,
    path: (path.slice("/app/".length) || "/") as Below<Path>,
    component: load === undefined ? Overview : lazy(load),
    errorComponent: PageFailure,
  });

// The compiler sees an array of one type of routes: named one by one, the links to the pages stay checked.
type RoutesOf<Pages extends readonly { path: PagePath }[]> = {
  [At in keyof Pages]: ReturnType<typeof appPage<Pages[At]["path"]>>;
};

const routeTree = root.addChildren([
  index,
  ...SIGN_IN_PAGES.map(signInPage),
  shared,
  app.addChildren(PAGES.map(appPage) as unknown as RoutesOf<typeof PAGES>),
]);

export const router = createRouter({
  routeTree,
  basepath: new URL(document.baseURI).pathname,
  parseSearch,
  stringifySearch,
  defaultPreload: "intent",
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
