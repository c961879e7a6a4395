import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packed, { inflate } from "@sparticuz/chromium";
import { type Browser, chromium, type Page } from "playwright-core";
import { findChromium, packedChromium, whyNoChromium } from "./platform.ts";

/** A real Chromium that can reach only this machine, whatever host name a page uses. */
export interface TestBrowser {
  browser: Browser;
  /** The user agent of the same browser with a window; headless it identifies itself as a robot. */
  userAgent: string;
  close(): Promise<void>;
}

/** An installed browser downloads updates and lists by itself; tests must not depend on that. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-software-rasterizer",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * 127.0.0.1",
];

/** Until it is used again: the suites of a process follow each other, and a start takes 0.4 s of processor. */
const IDLE_MS = 3_000;
let shared: { readonly started: Promise<TestBrowser>; users: number; ending?: NodeJS.Timeout } | undefined;

/** The suites of a process share one; contexts keep them apart. */
export async function startBrowser(): Promise<TestBrowser> {
  shared ??= { started: launchBrowser(), users: 0 };
  const mine = shared;
  clearTimeout(mine.ending);
  mine.users += 1;
  const forget = () => {
    if (shared === mine) shared = undefined;
  };
  const close = async () => {
    mine.users -= 1;
    if (mine.users > 0) return;
    mine.ending = setTimeout(() => {
      forget();
      // A directory that stays is told by the run.
      void mine.started.then((started) => started.close()).catch(() => undefined);
    }, IDLE_MS);
  };
  try {
    const { browser, userAgent } = await mine.started;
    // The next suite gets another one.
    browser.once("disconnected", forget);
    return { browser, userAgent, close };
  } catch (cause) {
    forget();
    throw cause;
  }
}

async function launchBrowser(): Promise<TestBrowser> {
  const dir = mkdtempSync(join(tmpdir(), "chromium-"));
  // A helper process of the browser may still be writing its last file.
  const remove = () => rmSync(dir, { recursive: true, force: true, maxRetries: 10 });
  try {
    const { executablePath, libraries } = await prepareChromium(dir);
    // Not the flags that come with the package: they disable web security, and CORS with it.
    const browser = await chromium.launch({
      executablePath,
      args: FLAGS,
      chromiumSandbox: false,
      env: { ...process.env, ...libraries, FONTCONFIG_FILE: writeFontConfig(dir), HOME: dir, TMPDIR: dir },
    });
    const major = browser.version().split(".", 1)[0];
    return {
      browser,
      userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`,
      async close() {
        await browser.close();
        remove();
      },
    };
  } catch (cause) {
    remove();
    throw cause;
  }
}

/**
 * The package unpacks only into the temporary directory: 210 MB with the browser, only fonts beside an installed one.
 */
async function prepareChromium(dir: string): Promise<{ executablePath: string; libraries: Record<string, string> }> {
  const found = findChromium();
  if (found === undefined) throw new Error(whyNoChromium());
  const before = process.env.TMPDIR;
  process.env.TMPDIR = dir;
  try {
    if (found.from === "path") {
      await inflate(packedChromium("fonts.tar.br"));
      return { executablePath: found.executablePath, libraries: {} };
    }
    // The libraries it needs beyond glibc.
    await inflate(packedChromium("al2023.tar.br"));
    return { executablePath: await packed.executablePath(), libraries: { LD_LIBRARY_PATH: join(dir, "al2023/lib") } };
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/**
 * Only the package's fonts: text has no size without any. The package's own configuration expects them in fixed places.
 */
function writeFontConfig(dir: string): string {
  const file = join(dir, "fonts.conf");
  writeFileSync(file, `<fontconfig><dir>${dir}/fonts</dir><cachedir>${dir}/font-cache</cachedir></fontconfig>`);
  return file;
}

export interface PageWatch {
  /** Every line of the console. */
  lines: string[];
  /** The errors that developer tools would show, including blocked cross-origin requests. */
  problems: string[];
}

export function watchPage(page: Page): PageWatch {
  const watch: PageWatch = { lines: [], problems: [] };
  page.on("console", (message) => {
    watch.lines.push(message.text());
    if (message.type() === "error" || message.type() === "warning") watch.problems.push(message.text());
  });
  page.on("pageerror", (error) => watch.problems.push(`thrown: ${error.message}`));
  page.on("requestfailed", (request) => {
    const why = request.failure()?.errorText ?? "";
    // The page left while the request was running: to a page, every request that outlives it ends like this.
    if (why !== "net::ERR_ABORTED") watch.problems.push(`failed: ${request.method()} ${request.url()} ${why}`);
  });
  page.on("crash", () => watch.problems.push("the page crashed"));
  return watch;
}
