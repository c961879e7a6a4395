/**
 * Why a page did not do what a test waited for: its scripts are held, Chromium does not draw it, or neither. Playwright
 * clicks only what stood still for two frames, and says the same of all three: "Timeout exceeded".
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";

export interface PageState {
  /** Whether the page's scripts run: those that hang are a fault of the page. */
  readonly answers: boolean;
  /** Drawn within `LOOK_MS`; undefined where scripts do not run. */
  readonly frames?: number | undefined;
  readonly visibility?: string | undefined;
  readonly problem?: string | undefined;
}

const LOOK_MS = 2_000;
/** A page of a busy machine answers within seconds. */
const ANSWER_MS = 30_000;

const COUNT_FRAMES = `new Promise((done) => {
  let frames = 0;
  const count = () => {
    frames += 1;
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  setTimeout(() => done({ answers: true, frames, visibility: document.visibilityState }), ${LOOK_MS});
})`;

export function readPageState(page: Page): Promise<PageState> {
  return Promise.race([
    page.evaluate<PageState>(COUNT_FRAMES).catch((cause: unknown) => ({ answers: false, problem: String(cause) })),
    delay(ANSWER_MS, { answers: false }, { ref: false }),
  ]);
}
