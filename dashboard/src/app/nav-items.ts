import type { IconName } from "../ui/icon.tsx";

/** The pages of a project, in the order of the navigation. */
export const NAV_ITEMS = [
  { to: "/app", label: "Overview", icon: "overview", key: "1" },
  { to: "/app/live", label: "Live", icon: "live", key: "2" },
  { to: "/app/activity", label: "Activity", icon: "activity", key: "3" },
  { to: "/app/funnels", label: "Funnels", icon: "funnel", key: "4" },
  { to: "/app/retention", label: "Retention", icon: "retention", key: "5" },
  { to: "/app/flows", label: "Flows", icon: "flow", key: "6" },
  { to: "/app/sql", label: "SQL", icon: "sql", key: "7" },
  { to: "/app/forms", label: "Forms", icon: "forms", key: "8" },
  { to: "/app/settings", label: "Settings", icon: "settings", key: "9" },
  { to: "/app/system", label: "System", icon: "system", key: "0" },
] as const satisfies readonly { to: string; label: string; icon: IconName; key: string }[];

export type NavPath = (typeof NAV_ITEMS)[number]["to"];
