import assert from "node:assert/strict";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { startBrowser, type TestBrowser, watchPage } from "../support/browser.ts";
import { sampleEvent } from "../support/events.ts";
import { type Credentials, makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { awayFromEnd, waitFor } from "../support/wait.ts";
import { explained, PageNotDrawn } from "./page-state.ts";
import { watchRequests } from "./settle.ts";

/** The whole service with a first account, events of a few days, and a browser. */
export interface DashboardService {
  service: TestService;
  dataDir: string;
  credentials: Credentials;
  chromium: TestBrowser;
  send(events: readonly object[]): Promise<void>;
  /** Pages are signed in afterwards. */
  makeFirstAccount(): Promise<void>;
  /** Pages that are signed in, once a page has signed in. */
  newContext(options: BrowserContextOptions): Promise<BrowserContext>;
  /** A page that is signed in, and fails the test on an error, a violation of the policy or another host. */
  withPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export const OWNER = { name: "ada", password: "a long sentence to remember" };

const DAY_MS = 86_400_000;

/** Chromium notes every failed status by itself; the page shows those in its own words. */
const NOTED = /Failed to load resource: the server responded with a status of 4\d\d/;

/** A workspace pays for the time of its reports, which is many times as long on a machine that runs several tests. */
const MORE_REQUESTS = { SEXTANT_API_RATE_BURST: "5000" };

export async function startDashboard(changes: Record<string, string> = {}): Promise<DashboardService> {
  await awayFromEnd(DAY_MS, 120_000);
  const data = makeDataDir();
  const settings = { ...MORE_REQUESTS, ...changes };
  const [service, chromium] = await Promise.all([startService(data.dir, settings), startBrowser()]);
  const credentials = readCredentials(data.dir);
  let state: Awaited<ReturnType<BrowserContext["storageState"]>> | undefined;

  const newContext = async (options: BrowserContextOptions) => {
    const context = await chromium.browser.newContext({
      locale: "en-US",
      viewport: { width: 1280, height: 900 },
      // Without a GPU every frame of a pulsing placeholder is drawn by the CPU that should answer the page's requests.
      reducedMotion: "reduce",
      ...(state ? { storageState: state } : {}),
      ...options,
    });
    // In a long run a dozen processes want the two cores. Twice, it is less than a test may take.
    context.setDefaultTimeout(90_000);
    watchRequests(context);
    return context;
  };

  async function withPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
    try {
      await withNewPage(options, use);
    } catch (cause) {
      if (!(cause instanceof PageNotDrawn)) throw cause;
      process.stdout.write(`${cause.message}\nonce more, in another page\n`);
      await withNewPage(options, use).catch((second: Error) => {
        // It may have failed for what the first one had changed.
        throw new Error(`${second.message}; before it, ${cause.message}`, { cause: second });
      });
    }
  }

  async function withNewPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
    await awayFromEnd(DAY_MS, 120_000);
    const context = await newContext(options);
    const page = await context.newPage();
    const { problems } = watchPage(page);
    const hosts = new Set<string>();
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url())) hosts.add(new URL(request.url()).host);
    });
    try {
      await explained(page, use);
      assert.deepEqual(
        problems.filter((line) => !NOTED.test(line)),
        [],
      );
      assert.deepEqual([...hosts], [new URL(service.apiUrl).host]);
      if (state === undefined) state = await context.storageState();
    } finally {
      await context.close();
    }
  }

  async function makeFirstAccount(): Promise<void> {
    const context = await newContext({});
    try {
      const token = new URL(credentials.setupUrl).hash.slice("#token=".length);
      const answer = await context.request.post(`${service.apiUrl}/api/setup`, { data: { token, ...OWNER } });
      assert.equal(answer.status(), 201, await answer.text());
      state = await context.storageState();
    } finally {
      await context.close();
    }
  }

  return {
    service,
    dataDir: data.dir,
    credentials,
    chromium,
    makeFirstAccount,
    newContext,
    withPage,
    async send(events) {
      const answer = await fetch(`${service.eventsUrl}/v0/raw_events`, {
        method: "POST",
        headers: { authorization: `Bearer ${credentials.writeKey}`, "content-type": "application/json" },
        body: JSON.stringify(events),
      });
      assert.equal(answer.status, 200, await answer.text());
      await waitFor("the events in reports", () => areStored(service, credentials));
    },
    async stop() {
      await chromium.close();
      await service.kill("SIGTERM");
      data.remove();
    },
  };
}

async function areStored(service: TestService, { apiKey }: Credentials): Promise<boolean> {
  const answer = await fetch(`${service.apiUrl}/v0/ingest`, { headers: { authorization: `Bearer ${apiKey}` } });
  const { lag_seconds, received } = (await answer.json()) as { lag_seconds: number; received: number };
  return lag_seconds === 0 && received > 0;
}

/** Three days of visits: most from a search engine, some of them with a wallet, a signature and a transaction. */
export function visits(): object[] {
  const now = Date.now();
  const events: object[] = [];
  const add = (visitor: number, at: number, type: string, changes: Record<string, unknown> = {}) => {
    const { context = {}, properties = {}, ...rest } = changes;
    const when = new Date(at).toISOString();
    events.push(
      sampleEvent(`m-${events.length}`, {
        type,
        anonymous_id: `visitor-${visitor}`,
        original_timestamp: when,
        sent_at: when,
        channel: "server",
        context: JSON.stringify({
          page_url: `https://app.example.com${visitor % 2 === 0 ? "/swap" : "/pools"}`,
          ...(visitor % 3 === 0 ? {} : { referrer: "https://www.google.com/" }),
          location: ["US", "DE", "SG", "BR"][visitor % 4],
          user_agent: DESKTOP,
          ...(context as object),
        }),
        properties: JSON.stringify(properties),
        ...rest,
      }),
    );
  };
  for (let visitor = 0; visitor < 24; visitor += 1) {
    const at = now - (visitor % 3) * DAY_MS - (visitor + 1) * 60_000;
    add(visitor, at, "page");
    if (visitor % 2 === 1) continue;
    const address = `0x${String(visitor).padStart(40, "5")}`;
    const chain_id = visitor % 4 === 0 ? 8453 : 1;
    add(visitor, at + 10_000, "connect", { address, properties: { chain_id, rdns: "io.metamask" } });
    if (visitor % 4 !== 0) continue;
    add(visitor, at + 20_000, "signature", { address, properties: { chain_id, status: "confirmed" } });
    add(visitor, at + 30_000, "transaction", { address, properties: { chain_id, status: "broadcasted" } });
    add(visitor, at + 31_000, "track", { address, event: "Swap", properties: { revenue: 2.5, volume: 100 } });
  }
  return events;
}

const DESKTOP =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/** By the link of the start, as a person does. */
export async function fillFirstAccount(page: Page, setupUrl: string): Promise<void> {
  await page.goto(setupUrl);
  await page.fill("[name=name]", OWNER.name);
  await page.fill("[name=password]", OWNER.password);
  await page.click("button[type=submit]");
  await page.waitForURL(/\/app/);
}
