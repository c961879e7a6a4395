import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useRouterState, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { call, chooseWorkspace } from "../api/client.ts";
import { useFirstDay } from "../api/first-day.ts";
import { retryOnce } from "../api/reports.ts";
import { readAccount, type Session, SessionProvider, sessionOf, useSession } from "../api/session.ts";
import { rangeText } from "../format/dates.ts";
import { chooseMoney } from "../format/numbers.ts";
import { chooseZone, zoneName } from "../format/zone.ts";
import { PERIOD_NAMES, PERIODS } from "../state/period.ts";
import type { ViewSearch } from "../state/search.ts";
import { type Shortcuts, useShortcuts } from "../state/shortcuts.ts";
import { forgetStored } from "../state/stored.ts";
import { useToday } from "../state/use-today.ts";
import { useSetSearch, useView } from "../state/view.ts";
import { Logo } from "../ui/logo.tsx";
import { Empty, Failure, Skeleton } from "../ui/states.tsx";
import { Bar } from "./bar.tsx";
import { FailureBar } from "./failure-bar.tsx";
import { Nav } from "./nav.tsx";
import { findPage, NAV_PAGES } from "./pages.ts";
import { useMovePeriod } from "./period-menu.tsx";

const loadPalette = async () => ({ default: (await import("./palette.tsx")).Palette });
const Palette = lazy(loadPalette);
const DemoNote = lazy(async () => ({ default: (await import("./demo-note.tsx")).DemoNote }));
const Help = lazy(async () => ({ default: (await import("./help.tsx")).Help }));

/** Everything around a page; nothing of it is drawn before the account is known. */
export function Shell() {
  const { project } = useSearch({ strict: false }) as ViewSearch;
  const account = useQuery({
    queryKey: ["account"],
    queryFn: ({ signal }) => readAccount(signal),
    staleTime: 60_000,
    retry: retryOnce,
  });
  const session = useMemo(() => account.data && sessionOf(account.data, project), [account.data, project]);
  if (account.error && account.data === undefined) {
    return (
      <main className="page narrow">
        <h1 className="hidden">Sextant</h1>
        <Failure failure={account.error} onRetry={() => void account.refetch()} />
      </main>
    );
  }
  if (account.isPending) {
    return (
      <main className="splash" aria-busy="true">
        <h1 className="hidden">Sextant is loading</h1>
        <Logo size={40} />
      </main>
    );
  }
  if (session === undefined) {
    return (
      <main className="page narrow">
        <h1 className="hidden">Sextant</h1>
        <Empty title="Your account is in no workspace">Ask its owner for an invitation.</Empty>
      </main>
    );
  }
  chooseWorkspace(session.workspace.id);
  if (session.project !== undefined) chooseMoney(session.project.moneyUnit);
  chooseZone(session.project?.timezone ?? "UTC");
  return <WithDays session={session} />;
}

function WithDays({ session }: { session: Omit<Session, "today"> }) {
  const { project } = session;
  const firstDay = useFirstDay(project?.id);
  const today = useToday();
  const whole = useMemo(
    () => ({ ...session, today, project: project && { ...project, firstDay } }),
    [session, today, project, firstDay],
  );
  return (
    <SessionProvider value={whole}>
      <Frame />
    </SessionProvider>
  );
}

/** A path that is no page keeps its bar: whoever mistyped it goes on with the same period. */
function pageAt(path: string): Partial<NonNullable<ReturnType<typeof findPage>>> {
  return findPage(path) ?? { hasPeriod: true };
}

type Open = "palette" | "help" | "filter" | undefined;

function Frame() {
  const [open, setOpen] = useState<Open>();
  const view = useView();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const { label, hasPeriod = false, hasSegments = hasPeriod, compares = false, ofWorkspace } = pageAt(path);
  // The form went with the bar of the page before.
  if (open === "filter" && !hasPeriod) setOpen(undefined);
  const navigate = useNavigate();
  const signOut = async () => {
    await call({ method: "POST", path: "/api/sign-out", body: {} });
    forgetStored();
    // A full load, so that nothing of the account stays in memory.
    location.assign(new URL("sign-in", document.baseURI));
  };
  useFrameShortcuts(open, setOpen, { period: hasPeriod, compare: compares });
  useEffect(() => {
    // Whoever presses Ctrl may type right after K.
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Control" || event.key === "Meta") void loadPalette();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  useEffect(() => {
    document.title = label === undefined ? "Sextant" : `${label} · Sextant`;
  }, [label]);
  return (
    <div className="app">
      <SkipLink />
      <Nav onMore={() => setOpen("palette")} />
      <div className="body">
        <Bar
          period={hasPeriod}
          segments={hasSegments}
          compare={compares}
          filterOpen={open === "filter"}
          // Another dialog that opens takes the focus from the form, which tells that it is closed.
          onFilterOpen={(shown) => setOpen((now) => (shown ? "filter" : now === "filter" ? undefined : now))}
          onPalette={() => setOpen("palette")}
          onHelp={() => setOpen("help")}
          onSignOut={() => void signOut()}
        />
        <Suspense fallback={null}>{ofWorkspace ? null : <DemoNote />}</Suspense>
        <FailureBar />
        <main id="main" className="page" tabIndex={-1}>
          {hasPeriod ? <PrintHead /> : null}
          <Suspense fallback={null}>{view.isKnown ? <Outlet /> : <Skeleton rows={8} />}</Suspense>
        </main>
      </div>
      <Suspense fallback={null}>
        {open === "palette" ? (
          <Palette
            onClose={() => setOpen(undefined)}
            onHelp={() => setOpen("help")}
            onGo={(to) => void navigate({ to })}
            onSignOut={() => void signOut()}
          />
        ) : null}
        {open === "help" ? <Help onClose={() => setOpen(undefined)} /> : null}
      </Suspense>
    </div>
  );
}

/**
 * With `<base href>` a bare `#main` would lead to the overview. The browser's own address is set only after the page is
 * drawn, so that the router's is used.
 */
function SkipLink() {
  const at = useRouterState({ select: ({ location: { publicHref } }) => publicHref });
  return (
    <a className="skip" href={`${at.replace(/#.*/, "")}#main`}>
      Skip to the content
    </a>
  );
}

/** Paper has no bar that says what the numbers are of. */
function PrintHead() {
  const { project } = useSession();
  const { range, today } = useView();
  return (
    <p className="print-head">
      <strong>{project?.name}</strong>, {rangeText(range, today)}, {zoneName()}
    </p>
  );
}

function useFrameShortcuts(
  open: Open,
  setOpen: (open: Open) => void,
  has: { period: boolean; compare: boolean },
): void {
  const view = useView();
  const set = useSetSearch();
  const move = useMovePeriod();
  const navigate = useNavigate();
  const openPalette = () => setOpen("palette");
  const close = () => setOpen(undefined);
  const keys: Record<string, () => void> = {
    "mod+k": openPalette,
    "?": () => setOpen("help"),
  };
  for (const { key, path } of NAV_PAGES) if (key !== undefined) keys[key] = () => void navigate({ to: path });
  if (has.compare) keys.x = () => set({ compare: view.comparison === "off" ? undefined : "off" });
  if (has.period) {
    keys["/"] = () => setOpen("filter");
    keys.ArrowLeft = () => move(-1);
    keys.ArrowRight = () => move(1);
    for (const name of PERIOD_NAMES) {
      if (name !== "custom") {
        keys[PERIODS[name].key] = () => set({ period: name, from: undefined, to: undefined, interval: undefined });
      }
    }
  }
  // What is open may still be loading: what is typed meanwhile is not for the page.
  const opening: Shortcuts = { "mod+k": openPalette, Escape: close };
  useShortcuts(open === undefined ? keys : opening);
}
