/**
 * THE list of pages. The router makes its routes of it; navigation, palette, keys, titles and the bar above the pages
 * read it. A new page is an entry here and a folder in `pages/`.
 */
import type { ComponentType } from "react";
import type { IconName } from "../ui/icon.tsx";

type Load = () => Promise<ComponentType>;

interface Page {
  path: `/app${string}`;
  /** Its name in the navigation, in the palette and in the title of the window. */
  label: string;
  /** A page with an icon is in the navigation, in the order of this list. */
  icon?: IconName;
  /** The navigation leaves a gap before it. */
  startsGroup?: true;
  /** A digit or a letter that opens it. */
  key?: string;
  /** The bar has period and filters, and a printed page says its days. */
  hasPeriod?: true;
  /** The bar has segments, also without a period. */
  hasSegments?: true;
  /** The bar has the comparison. */
  compares?: true;
  /** It shows one thing of a project: where another project leads to. */
  listedAt?: "/app/boards" | "/app/wallets";
  /** It shows what is real also while the demo is chosen. */
  ofWorkspace?: true;
  /** Absent: the first screen, which comes with the first script. */
  load?: Load;
}

export const PAGES = [
  { path: "/app", label: "Overview", icon: "overview", key: "1", hasPeriod: true, compares: true },
  {
    path: "/app/live",
    label: "Live",
    icon: "live",
    key: "2",
    hasSegments: true,
    load: async () => (await import("../pages/live/live.tsx")).Live,
  },
  {
    path: "/app/activity",
    label: "Activity",
    icon: "activity",
    key: "3",
    hasPeriod: true,
    load: async () => (await import("../pages/activity/activity.tsx")).Activity,
  },
  {
    path: "/app/boards/board",
    label: "Board",
    listedAt: "/app/boards",
    hasPeriod: true,
    compares: true,
    load: async () => (await import("../pages/boards/board.tsx")).BoardPage,
  },
  {
    path: "/app/boards",
    label: "Boards",
    icon: "boards",
    key: "b",
    load: async () => (await import("../pages/boards/boards.tsx")).Boards,
  },
  {
    path: "/app/wallets/wallet",
    label: "Wallet",
    listedAt: "/app/wallets",
    load: async () => (await import("../pages/wallets/wallet.tsx")).WalletPage,
  },
  {
    path: "/app/wallets",
    label: "Wallets",
    icon: "user",
    key: "u",
    load: async () => (await import("../pages/wallets/wallets.tsx")).Wallets,
  },
  {
    path: "/app/funnels",
    label: "Funnels",
    icon: "funnel",
    startsGroup: true,
    key: "4",
    hasPeriod: true,
    load: async () => (await import("../pages/funnels/funnels.tsx")).Funnels,
  },
  {
    path: "/app/retention",
    label: "Retention",
    icon: "retention",
    key: "5",
    hasPeriod: true,
    load: async () => (await import("../pages/retention/retention.tsx")).Retention,
  },
  {
    path: "/app/flows",
    label: "Flows",
    icon: "flow",
    key: "6",
    hasPeriod: true,
    load: async () => (await import("../pages/flows/flows.tsx")).Flows,
  },
  {
    path: "/app/sql",
    label: "SQL",
    icon: "sql",
    key: "7",
    load: async () => (await import("../pages/sql/sql.tsx")).Sql,
  },
  {
    path: "/app/alerts",
    label: "Alerts",
    icon: "bell",
    startsGroup: true,
    key: "r",
    load: async () => (await import("../pages/alerts/alerts.tsx")).Alerts,
  },
  {
    // Boards, alerts and settings lead to it.
    path: "/app/schedules",
    label: "Scheduled reports",
    load: async () => (await import("../pages/schedules/schedules.tsx")).Schedules,
  },
  {
    path: "/app/forms",
    label: "Forms",
    icon: "forms",
    key: "8",
    ofWorkspace: true,
    load: async () => (await import("../pages/forms/forms.tsx")).Forms,
  },
  {
    path: "/app/import",
    label: "Import",
    icon: "upload",
    key: "i",
    load: async () => (await import("../pages/import/import.tsx")).Import,
  },
  {
    path: "/app/settings",
    label: "Settings",
    icon: "settings",
    startsGroup: true,
    key: "9",
    ofWorkspace: true,
    load: async () => (await import("../pages/settings/settings.tsx")).Settings,
  },
  {
    path: "/app/system",
    label: "System",
    icon: "system",
    key: "0",
    ofWorkspace: true,
    load: async () => (await import("../pages/system/system.tsx")).System,
  },
  {
    path: "/app/projects",
    label: "All projects",
    hasPeriod: true,
    ofWorkspace: true,
    load: async () => (await import("../pages/projects/projects.tsx")).AllProjects,
  },
  {
    path: "/app/start",
    label: "Start",
    ofWorkspace: true,
    load: async () => (await import("../pages/start/start.tsx")).Start,
  },
] as const satisfies readonly Page[];

export type PagePath = (typeof PAGES)[number]["path"];

/** The pages before the sign-in. They have no frame. */
export const SIGN_IN_PAGES = [
  { path: "/sign-in", load: async () => (await import("../pages/sign-in/sign-in.tsx")).SignIn },
  { path: "/setup", load: async () => (await import("../pages/sign-in/setup.tsx")).Setup },
  { path: "/invite", load: async () => (await import("../pages/sign-in/link.tsx")).Invite },
  { path: "/reset", load: async () => (await import("../pages/sign-in/link.tsx")).Reset },
] as const satisfies readonly { path: string; load: Load }[];

/** The page of a public link: without an account, and without the frame. */
export const SHARED_PAGE = {
  path: "/s/$token",
  load: async () => (await import("../pages/shared/shared.tsx")).SharedPage,
} as const satisfies { path: string; load: Load };

type NavPage = Page & { path: PagePath; icon: IconName };
export const NAV_PAGES: readonly NavPage[] = PAGES.filter(
  (page): page is (typeof PAGES)[number] & NavPage => "icon" in page,
);

/** The page at a path: a page below another stands before it in the list. The overview is at its own path alone: all others begin with it. */
export function findPage(path: string): Page | undefined {
  const at = path.replace(/\/+$/, "");
  return PAGES.find((page) => at === page.path || (page.path !== "/app" && at.startsWith(`${page.path}/`)));
}
