/**
 * Why a page did not do what a test waited for: its scripts are held, Chromium does not draw it, or neither. Playwright
 * clicks only what stood still for two frames, and says the same of all three: "Timeout exceeded".
 */
import { setTimeout as delay } from "node:timers/promises";
import { errors, type Page } from "playwright-core";

interface PageState {
  /** Whether the page's scripts run: those that hang are a fault of the page. */
  readonly answers: boolean;
  /** Drawn within `LOOK_MS`. */
  readonly frames?: number;
  readonly visibility?: string;
  readonly problem?: string;
}

/** A fault of the browser: the scripts of the page run, and nothing that they change is drawn. */
export class PageNotDrawn extends Error {
  override readonly name = "PageNotDrawn";
}

const LOOK_MS = 5_000;
const LOOK_EVERY_MS = 1_000;
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

/** Uses the page. What Playwright waited for in vain is told with what the page does instead. */
export async function explained(page: Page, use: (page: Page) => Promise<void>): Promise<void> {
  const heldMs = watchOwnTurns();
  try {
    await use(page);
  } catch (cause) {
    if (!(cause instanceof errors.TimeoutError)) throw cause;
    const held = `this process was held for ${Math.round(heldMs())} ms at once`;
    const state = await readState(page);
    const said = `the page: ${JSON.stringify(state)}; ${held}; ${cause.message}`;
    throw state.frames === 0 ? new PageNotDrawn(said, { cause }) : new Error(said, { cause });
  } finally {
    heldMs();
  }
}

function readState(page: Page): Promise<PageState> {
  return Promise.race([
    page.evaluate<PageState>(COUNT_FRAMES).catch((cause: unknown) => ({ answers: false, problem: String(cause) })),
    delay(ANSWER_MS, { answers: false }, { ref: false }),
  ]);
}

/** A process that was stopped for a minute finds its deadlines passed. Returns what ends the watch and tells the longest. */
function watchOwnTurns(): () => number {
  let [heldMs, lookedAt] = [0, performance.now()];
  const look = () => {
    heldMs = Math.max(heldMs, performance.now() - lookedAt - LOOK_EVERY_MS);
    lookedAt = performance.now();
    return heldMs;
  };
  const looks = setInterval(look, LOOK_EVERY_MS);
  return () => {
    clearInterval(looks);
    return look();
  };
}
