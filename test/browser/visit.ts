import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { type TestBrowser, watchPage } from "../support/browser.ts";
import { waitFor } from "../support/wait.ts";
import { startSite } from "./site.ts";
import { startWire } from "./wire.ts";

/** An event as the SDK sent it. */
export interface SentEvent {
  message_id: string;
  anonymous_id: string;
  original_timestamp: string;
  sent_at: string;
  context: Record<string, unknown>;
  properties: Record<string, unknown>;
}

export interface Visit {
  /** The bodies of the SDK's requests. */
  bodies: string[];
  /** The responses up to the purchase; the page may be gone when requests sent on leaving are answered. */
  answers: unknown[];
  /** Errors and warnings of the page, its network and the SDK. */
  problems: string[];
  close(): Promise<void>;
}

export const LANDING_QUERY =
  "utm_source=baidu&utm_medium=cpc&utm_campaign=launch&utm_term=wallet+analytics&utm_content=hero&ref=ada";

const ARTIFACTS = resolve(import.meta.dirname, "../../test-artifacts");

/**
 * Comes from a search engine, views two pages, connects a wallet, signs in, buys, and leaves right after a last event.
 */
export async function visitShop(browser: TestBrowser, eventsUrl: URL, writeKey: string): Promise<Visit> {
  const wire = await startWire(Number(eventsUrl.port));
  const apiHost = eventsUrl.href.replace(eventsUrl.host, `127.0.0.1:${wire.port}`);
  // Four at once: a visit then has a single event, a full batch, and a rest that is sent only on leaving the page.
  const options = { apiHost, tracking: true, flushAt: 4, logger: { enabled: true, levels: ["info", "warn", "error"] } };
  const site = await startSite({ writeKey, options }, `/pricing?${LANDING_QUERY}`);
  const { userAgent } = browser;
  const page = await browser.browser.newPage({ userAgent, locale: "de-DE", timezoneId: "Europe/Berlin" });
  page.setDefaultTimeout(60_000);
  const { lines, problems } = watchPage(page);
  const { bodies, answers } = watchRequests(page, apiHost);
  const close = async () => {
    await page.close();
    site.close();
    wire.close();
  };
  const seen = (what: string, happened: () => boolean) =>
    waitFor(what, () => {
      if (problems.length > 0) throw new Error(`in place of ${what}: ${problems.join("; ")}`);
      return happened();
    });
  const queued = (count: number) =>
    seen(`event ${count} of the SDK`, () => lines.filter((line) => /Event enqueued/.test(line)).length >= count);

  try {
    // A search engine that browsers have no rule for to ask by https alone.
    await page.goto(`http://www.baidu.com:${site.port}/search`);
    await page.click("#result");
    await queued(2);
    for (const [at, button] of ["#annual", "#connect", "#identify"].entries()) {
      await page.click(button);
      await queued(at + 3);
    }
    await seen("the answers to both requests", () => answers.length === 2);
    await page.click("#buy");
    await queued(6);
    await page.screenshot({ path: join(ARTIFACTS, `browser-sdk${eventsUrl.pathname.replaceAll("/", "-")}.png`) });
    wire.hold();
    await page.click("#leave");
    await page.waitForURL("**/goodbye");
    await seen("the last request on its way", wire.isHolding);
    wire.release();
  } catch (cause) {
    await close();
    throw cause;
  }
  return { bodies, answers: answers.slice(0, 2), problems, close };
}

function watchRequests(page: Page, apiHost: string): { bodies: string[]; answers: unknown[] } {
  const bodies: string[] = [];
  const answers: unknown[] = [];
  page.on("request", (request) => {
    if (request.url() === apiHost) bodies.push(request.postData() ?? "");
  });
  page.on("response", async (response) => {
    if (response.url() !== apiHost) return;
    try {
      answers.push(await response.json());
    } catch {
      // The page is gone, or the response is not ours.
    }
  });
  return { bodies, answers };
}
