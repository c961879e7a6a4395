/** The dashboard with events of the demo, for tests that compare the screen with the API. */
import { createDemoEvents } from "../../src/demo/events.ts";
import { type DashboardService, startDashboard } from "./dashboard-service.ts";
import type { Query } from "./shown-rows.ts";

const DAY_MS = 86_400_000;
/** Enough for ten rows in most tabs. */
const VISITORS = 900;
const AT_ONCE = 2000;

/** The texts of the page are those of this process. */
export const LOCALE = { locale: navigator.language };

export function dayOf(daysAgo: number): string {
  return new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
}

export function lastDays(days: number): Query {
  return { date_from: dayOf(days - 1), date_to: dayOf(0) };
}

export async function startDemoSite(): Promise<DashboardService> {
  const site = await startDashboard();
  const events = demoEvents();
  for (let at = 0; at < events.length; at += AT_ONCE) await site.send(events.slice(at, at + AT_ONCE));
  await site.makeFirstAccount();
  return site;
}

/** The first visitors of the demo, until now. */
function demoEvents(): object[] {
  const events = [...createDemoEvents(Date.now())].slice(0, VISITORS).flat() as Record<string, unknown>[];
  // A server's times are taken as they are; those of a browser move with the time of receipt.
  return events.map((event) => ({ ...event, channel: "server", sent_at: event.original_timestamp }));
}
