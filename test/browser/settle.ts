import type { BrowserContext, Page, Request } from "playwright-core";
import { waitFor } from "../support/wait.ts";

const LOADING =
  "[aria-busy=true], .stale, .skeleton, .chart-skeleton, .heat-skeleton, .funnel-skeleton, .flow-skeleton";

/**
 * Every request has been answered, and nothing is drawn as loading or as old. Panels that are far below ask only when
 * they come near, so that the page is scrolled through.
 */
export async function settle(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor({ state: "attached" });
  const loading = page.locator(LOADING);
  await waitFor("the page to be drawn", async () => {
    if ((await loading.count()) === 0) return true;
    await page.evaluate(SCROLL_THROUGH);
    return false;
  });
  // A frame after it: colours and sizes are those of the media that were emulated last.
  await page.evaluate(TWO_FRAMES);
  await expectQuiet(page);
}

const OPEN = new WeakMap<BrowserContext, Set<Request>>();
/** Some never end. */
const ENDLESS = ["eventsource", "ping", "websocket"];

export function watchRequests(context: BrowserContext): void {
  const open = new Set<Request>();
  OPEN.set(context, open);
  context.on("request", (request) => {
    if (!ENDLESS.includes(request.resourceType())) open.add(request);
  });
  const close = (request: Request) => open.delete(request);
  context.on("requestfinished", close);
  context.on("requestfailed", close);
}

/** Changes of rows, and other numbers beside those that are drawn, are asked for later and not drawn as loading. */
async function expectQuiet(page: Page): Promise<void> {
  const open = OPEN.get(page.context());
  // A test may hold an answer back: the frames are bounded.
  for (let quiet = 0, frames = 0; open !== undefined && quiet < 2 && frames < 60; frames += 2) {
    quiet = open.size === 0 ? quiet + 1 : 0;
    await page.evaluate(TWO_FRAMES);
  }
}

/** Or a second: a page that Chromium does not show draws none, and a script in it has no limit of its own. */
export const TWO_FRAMES = `new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(done));
  setTimeout(done, 1000);
})`;

/** A screen at a time, a frame each, and back. */
const SCROLL_THROUGH = `(async () => {
  const at = scrollY;
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo(0, y);
    await ${TWO_FRAMES};
  }
  scrollTo(0, at);
})()`;
