/** The overview of a large project in Chromium: when its last card is drawn, and how long each report takes beside the others. */
import { OWNER } from "../test/browser/dashboard-service.ts";
import { startBrowser } from "../test/support/browser.ts";
import { whyNoChromium } from "../test/support/platform.ts";
import type { QueryService } from "./query-service.ts";
import type { OnEnd } from "./run-bench.ts";
import { median } from "./statistics.ts";

const LOADS = 7;
const PERIOD = "30d";
/** As text, since it runs in the page. Its value is the time since the navigation. */
const IS_DRAWN = `document.querySelectorAll("section.panel").length > 5 &&
  document.querySelector("[aria-busy=true], .skeleton, .chart-skeleton, .heat-skeleton, .funnel-skeleton") === null &&
  performance.now()`;

export interface Overview {
  /** From the navigation to the last card, p50. */
  readonly drawnMs: number;
  /** The largest of the reports' times in the page, divided by the time of the same request alone. */
  readonly slowest: { readonly path: string; readonly ratio: number };
}

/** Undefined without a Chromium: `why` says so. */
export async function openOverview(
  service: QueryService,
  onEnd: OnEnd,
): Promise<{ overview: Overview } | { why: string }> {
  const why = whyNoChromium();
  if (why !== undefined) return { why };
  const { browser, close } = await startBrowser();
  onEnd(close);
  const context = await browser.newContext({
    viewport: { width: 1440, height: 2400 },
    reducedMotion: "reduce",
    // The condition below is evaluated in the page.
    bypassCSP: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const { hash, pathname } = new URL(service.credentials.setupUrl);
  await page.goto(`${service.credentials.apiUrl}${pathname}${hash}`);
  await page.fill("[name=name]", OWNER.name);
  await page.fill("[name=password]", OWNER.password);
  await page.click("button[type=submit]");
  await page.waitForURL(/\/app/);
  const drawn: number[] = [];
  const inPage = new Map<string, number[]>();
  for (let load = 0; load < LOADS; load += 1) {
    await page.goto(`${service.credentials.apiUrl}/app?period=${PERIOD}`);
    const ms = await (await page.waitForFunction(IS_DRAWN, undefined, { polling: "raf" })).jsonValue();
    drawn.push(Number(ms));
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
  const ratios: { path: string; ratio: number }[] = [];
  for (const [url, times] of inPage) {
    const alone = await page.evaluate(async (address) => {
      const taken: number[] = [];
      for (let i = 0; i < 5; i += 1) {
        const startedAt = performance.now();
        await (await fetch(address)).text();
        taken.push(performance.now() - startedAt);
      }
      return taken;
    }, url);
    ratios.push({ path: new URL(url).pathname, ratio: median(times) / median(alone) });
  }
  const slowest = ratios.sort((a, b) => b.ratio - a.ratio)[0] ?? { path: "", ratio: Number.NaN };
  await close();
  return { overview: { drawnMs: median(drawn), slowest } };
}
