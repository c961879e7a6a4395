import { QueryCache, QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  retainSearchParams,
} from "@tanstack/react-router";
import { RequestFailed } from "../api/failure.ts";
import { Overview } from "../pages/overview/overview.tsx";
import { parseSearch, type RawSearch, readViewSearch, stringifySearch, text, VIEW_KEYS } from "../state/search.ts";
import { NotFoundPage, PageFailure } from "./page-states.tsx";
import { Shell } from "./shell.tsx";

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

const page = <const Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component,
    validateSearch: (raw: RawSearch): { next?: string | undefined } => ({ next: ownPath(raw.next) }),
  });

/** Only a path of this page: a link may not lead elsewhere after the sign-in. */
function ownPath(value: unknown): string | undefined {
  const path = text(value);
  return path !== undefined && /^\/app([/?]|$)/.test(path) ? path : undefined;
}

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

const appPage = <const Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => app, path, component, errorComponent: PageFailure });

const overview = createRoute({
  getParentRoute: () => app,
  path: "/",
  component: Overview,
  errorComponent: PageFailure,
});

const routeTree = root.addChildren([
  index,
  page(
    "/sign-in",
    lazyRouteComponent(() => import("../pages/sign-in/sign-in.tsx"), "SignIn"),
  ),
  page(
    "/setup",
    lazyRouteComponent(() => import("../pages/sign-in/setup.tsx"), "Setup"),
  ),
  page(
    "/invite",
    lazyRouteComponent(() => import("../pages/sign-in/link.tsx"), "Invite"),
  ),
  page(
    "/reset",
    lazyRouteComponent(() => import("../pages/sign-in/link.tsx"), "Reset"),
  ),
  app.addChildren([
    overview,
    appPage(
      "projects",
      lazyRouteComponent(() => import("../pages/projects/projects.tsx"), "AllProjects"),
    ),
    appPage(
      "live",
      lazyRouteComponent(() => import("../pages/live/live.tsx"), "Live"),
    ),
    appPage(
      "activity",
      lazyRouteComponent(() => import("../pages/activity/activity.tsx"), "Activity"),
    ),
    appPage(
      "funnels",
      lazyRouteComponent(() => import("../pages/funnels/funnels.tsx"), "Funnels"),
    ),
    appPage(
      "retention",
      lazyRouteComponent(() => import("../pages/retention/retention.tsx"), "Retention"),
    ),
    appPage(
      "flows",
      lazyRouteComponent(() => import("../pages/flows/flows.tsx"), "Flows"),
    ),
    appPage(
      "sql",
      lazyRouteComponent(() => import("../pages/sql/sql.tsx"), "Sql"),
    ),
    appPage(
      "forms",
      lazyRouteComponent(() => import("../pages/forms/forms.tsx"), "Forms"),
    ),
    appPage(
      "start",
      lazyRouteComponent(() => import("../pages/start/start.tsx"), "Start"),
    ),
    appPage(
      "settings",
      lazyRouteComponent(() => import("../pages/settings/settings.tsx"), "Settings"),
    ),
    appPage(
      "system",
      lazyRouteComponent(() => import("../pages/system/system.tsx"), "System"),
    ),
  ]),
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
