/**
 * The overview of a large project in Chromium: when headline and chart are drawn, when the last card is, and how long each
 * report takes beside the others. The floor is the slowest of its requests alone, in the same run.
 */
import { whyNoChromium } from "../test/support/platform.ts";
import { type DashboardPage, NOTHING_WAITS, openDashboard, timeOf } from "./dashboard-page.ts";
import type { QueryService } from "./query-service.ts";
import type { OnEnd } from "./run-bench.ts";
import { median } from "./statistics.ts";
import { line, type Verdict } from "./verdict.ts";

const LOADS = 7;
const ALONE = 5;
const PERIOD = "30d";
/** As texts, since they run in the page. Their value is the time since the navigation. */
const HAS_HEADLINE = `document.querySelector(".headline-value") !== null &&
  document.querySelector('section.panel[aria-label$="over time"] svg') !== null && performance.now()`;
const IS_DRAWN = `document.querySelectorAll("section.panel").length > 5 &&
  ${NOTHING_WAITS} && performance.now()`;

export interface Overview {
  /** From the navigation, p50. */
  readonly headlineMs: number;
  readonly drawnMs: number;
  /** The p50 of the slowest request alone, and which it is. */
  readonly alone: { readonly path: string; readonly ms: number };
  /** The largest of the requests' times in the page, divided by the time of the same request alone. */
  readonly slowest: { readonly path: string; readonly ratio: number };
}

/** `why` without a Chromium. */
export async function openOverview(
  service: QueryService,
  onEnd: OnEnd,
): Promise<{ overview: Overview } | { why: string }> {
  const why = whyNoChromium();
  if (why !== undefined) return { why };
  const dashboard = await openDashboard(service, onEnd);
  const overview = await measureOverview(service, dashboard);
  await dashboard.close();
  return { overview };
}

export async function measureOverview(service: QueryService, { page, when }: DashboardPage): Promise<Overview> {
  const times = { headline: [] as number[], drawn: [] as number[] };
  const inPage = new Map<string, number[]>();
  for (let load = 0; load < LOADS; load += 1) {
    await page.goto(`${service.credentials.apiUrl}/app?period=${PERIOD}`);
    times.headline.push(await when(HAS_HEADLINE));
    times.drawn.push(await when(IS_DRAWN));
    const requests = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter(({ name }) => name.includes("/v0/") && !name.includes("/stream"))
        .map(({ name, duration }) => [name, duration] as const),
    );
    for (const [url, duration] of requests) inPage.set(url, [...(inPage.get(url) ?? []), duration]);
  }
  // Other pages would go on to ask for the live count.
  await page.goto(`${service.credentials.apiUrl}/sign-in`);
  const requests: { path: string; ms: number; ratio: number }[] = [];
  for (const [url, beside] of inPage) {
    const taken: number[] = [];
    for (let round = 0; round < ALONE; round += 1) taken.push(await timeOf(page, url));
    const ms = median(taken);
    requests.push({ path: new URL(url).pathname, ms, ratio: median(beside) / ms });
  }
  const none = { path: "", ms: Number.NaN, ratio: Number.NaN };
  return {
    headlineMs: median(times.headline),
    drawnMs: median(times.drawn),
    alone: requests.toSorted((a, b) => b.ms - a.ms)[0] ?? none,
    slowest: requests.toSorted((a, b) => b.ratio - a.ratio)[0] ?? none,
  };
}

export function describeOverview(opened: Awaited<ReturnType<typeof openOverview>>): string {
  if ("why" in opened) return `overview in a browser: not measured, ${opened.why}`;
  const { headlineMs, drawnMs, alone, slowest } = opened.overview;
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  return (
    `overview in Chromium, p50: headline and chart after ${ms(headlineMs)}, last card after ${ms(drawnMs)}; ` +
    `the slowest request alone is ${alone.path}, ${ms(alone.ms)}; ` +
    `${slowest.path} took ${slowest.ratio.toFixed(1)} times its time alone`
  );
}

export function judgeOverview(opened: Awaited<ReturnType<typeof openOverview>>): Verdict[] {
  if ("why" in opened) return [];
  const { headlineMs, drawnMs, alone, slowest } = opened.overview;
  return [
    line("overview: headline and chart / the slowest request alone", headlineMs / alone.ms, 2, "", { atMost: 1.3 }),
    line("overview: last card / the slowest request alone", drawnMs / alone.ms, 2, "", { atMost: 2 }),
    line("overview: a request beside the others / alone, the worst", slowest.ratio, 1, "", { atMost: 3 }),
  ];
}
