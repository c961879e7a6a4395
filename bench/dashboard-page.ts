/** The dashboard in Chromium, signed in, for benchmarks of its pages. */
import type { Page } from "playwright-core";
import { fillFirstAccount } from "../test/browser/dashboard-service.ts";
import { startBrowser } from "../test/support/browser.ts";
import type { QueryService } from "./query-service.ts";
import type { OnEnd } from "./run-bench.ts";

export interface DashboardPage {
  readonly page: Page;
  /** When a condition of the page holds, in milliseconds since the navigation: its text ends with `&& performance.now()`. */
  when(condition: string): Promise<number>;
  close(): Promise<void>;
}

const SKELETONS = "[aria-busy=true], .skeleton, .chart-skeleton, .heat-skeleton, .funnel-skeleton";
export const NOTHING_WAITS = `document.querySelector(${JSON.stringify(SKELETONS)}) === null`;

/** So high that nothing waits for scrolling. */
const VIEWPORT = { width: 1440, height: 2400 };

export async function openDashboard({ credentials }: QueryService, onEnd: OnEnd): Promise<DashboardPage> {
  const { browser, close } = await startBrowser();
  onEnd(close);
  // Conditions are texts that are evaluated in the page.
  const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: "reduce", bypassCSP: true });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const { hash, pathname } = new URL(credentials.setupUrl);
  await fillFirstAccount(page, `${credentials.apiUrl}${pathname}${hash}`);
  return {
    page,
    close,
    async when(condition) {
      return Number(await (await page.waitForFunction(condition, undefined, { polling: "raf" })).jsonValue());
    },
  };
}

/** Of a request from the page, to the end of its answer. */
export function timeOf(page: Page, url: string): Promise<number> {
  return page.evaluate(async (address) => {
    const startedAt = performance.now();
    const answer = await fetch(address);
    await answer.text();
    if (!answer.ok) throw new Error(`${answer.status} ${address}`);
    return performance.now() - startedAt;
  }, url);
}
