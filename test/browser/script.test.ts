/** The script that a site loads with one line, in a real Chromium: what the visit did is what is stored. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { startBrowser, type TestBrowser, watchPage } from "../support/browser.ts";
import { type Credentials, makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

const ADDRESS = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
/** The call's data ends with the codes "harbor,tidepool", their length, the schema and the mark of ERC-8021. */
const CODES = Buffer.from("harbor,tidepool").toString("hex");
const DATA = `0xa9059cbb${CODES}0f00${"8021".repeat(8)}`;

const page = (eventsUrl: string, key: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Swap</title>
<script>(window.sextant ||= []).push(["track", "Early", { step: 1 }]);</script>
<script defer src="${eventsUrl}/script.js" data-key="${key}"></script></head>
<body><a id="next" href="/next">Next</a><script>
  const listeners = {};
  let accounts = [];
  const wallet = {
    on: (name, listener) => { listeners[name] = listener; },
    request: async ({ method }) => {
      if (method === "eth_chainId") return "0x2105";
      if (method === "eth_accounts") return accounts;
      if (method === "eth_requestAccounts") return (accounts = ["${ADDRESS}"]);
      if (method === "eth_sendTransaction") return "0xhash";
      if (method === "eth_getTransactionReceipt") return { status: "0x1" };
      if (method === "personal_sign") throw Object.assign(new Error("no"), { code: 4001 });
      return null;
    },
  };
  const detail = Object.freeze({ info: { uuid: "1", name: "Test Wallet", rdns: "org.example.wallet" }, provider: wallet });
  addEventListener("eip6963:requestProvider", () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail })));
</script></body></html>`;

interface Stored {
  type: string;
  event: string;
  address: string;
  pathname: string;
  utm_source: string;
  referrer: string;
  chain_id: string;
  status: string;
  builder_codes: string;
  user_id: string;
  anonymous_id: string;
}

describe("the script of the events server", () => {
  const cleanups: (() => unknown)[] = [];
  let browser: TestBrowser;
  let service: TestService;
  let keys: Credentials;
  let port = 0;

  before(async () => {
    browser = await startBrowser();
    cleanups.push(browser.close);
    const data = makeDataDir();
    cleanups.push(data.remove);
    service = await startService(data.dir);
    cleanups.push(() => service.kill("SIGTERM"));
    keys = readCredentials(data.dir);
    const site = await startSite((request) =>
      request === "/favicon.ico" ? "" : page(service.eventsUrl, keys.writeKey),
    );
    cleanups.push(() => {
      site.close();
      site.closeAllConnections();
    });
    port = (site.address() as AddressInfo).port;
  });
  after(async () => {
    for (const clean of cleanups.reverse()) await clean();
  });

  async function storedOf(condition: string, count: number): Promise<Stored[]> {
    let rows: Stored[] = [];
    await waitFor(`${count} stored events`, async () => {
      const answer = await fetch(`${service.apiUrl}/v0/query`, {
        method: "POST",
        headers: { Authorization: `Bearer ${keys.apiKey}`, "Content-Type": "application/json" },
        body: JSON.stringify({
          query: `SELECT type, event, address, page_path AS pathname, utm_source, referrer, chain_id, JSONExtractString(properties, 'status') AS status, builder_codes, user_id, anonymous_id FROM events WHERE ${condition} ORDER BY timestamp, type LIMIT 100`,
        }),
      });
      const text = await answer.text();
      // Questions cost the time they take, so that a busy machine has fewer of them a second.
      if (answer.status === 429) return false;
      assert.equal(answer.status, 200, text);
      rows = (JSON.parse(text) as { data: Stored[] }).data;
      return rows.length >= count;
    });
    return rows;
  }

  async function visit(act: (page: Page) => Promise<void>, name = "127.0.0.1"): Promise<void> {
    const opened = await browser.browser.newPage();
    opened.setDefaultTimeout(60_000);
    const { problems } = watchPage(opened);
    await opened.goto(`http://${name}:${port}/swap?utm_source=news&x=1`, { referer: "https://www.example.org/post" });
    await act(opened);
    assert.deepEqual(problems, []);
    await opened.context().clearCookies();
    assert.deepEqual(await opened.context().cookies(), []);
    await opened.close();
  }

  test("counts pages, the wallet, a transaction with its builder codes, a rejected signature and own events, once each", async () => {
    await visit(async (opened) => {
      await waitFor("the script", () => opened.evaluate("!Array.isArray(window.sextant)"));
      assert.equal(await opened.evaluate("document.cookie"), "");
      await opened.evaluate("history.pushState({}, '', '/swap/eth')");
      await opened.evaluate("wallet.request({ method: 'eth_requestAccounts' })");
      const confirmed = opened.waitForResponse((answer) => answer.request().postData()?.includes("confirmed") ?? false);
      await opened.evaluate(
        `wallet.request({ method: 'eth_sendTransaction', params: [{ to: '0xabc', value: '0x1', data: '${DATA}' }] })`,
      );
      await confirmed;
      await opened.evaluate("wallet.request({ method: 'personal_sign', params: [] }).catch(() => 0)");
      await opened.evaluate("sextant.identify('user-7', { plan: 'pro' })");
      await opened.evaluate("sextant.track('Swap Completed', { revenue: 1.5, volume: 10n })");
      // Sent when the page is left.
      const next = opened.waitForResponse((answer) => answer.request().postData()?.includes("/next") ?? false);
      await opened.click("#next");
      await opened.waitForURL("**/next");
      await next;
    });
    const rows = await storedOf("1 = 1", 14);
    const told = rows.map(({ type, event, status, pathname }) => `${type} ${event || status} ${pathname}`);
    assert.deepEqual(told.sort(), [
      "connect  /swap/eth",
      "detect  /swap",
      "identify  /swap/eth",
      "page  /next",
      "page  /swap",
      "page  /swap/eth",
      "signature rejected /swap/eth",
      "signature requested /swap/eth",
      "track Early /next",
      "track Early /swap",
      "track Swap Completed /swap/eth",
      "transaction broadcasted /swap/eth",
      "transaction confirmed /swap/eth",
      "transaction started /swap/eth",
    ]);
    assert.equal(new Set(rows.map((row) => row.anonymous_id)).size, 1, "one visitor, also on the next page");
    for (const row of rows) assert.deepEqual([row.utm_source, row.referrer], ["news", "example.org"], row.type);
    const transactions = rows.filter(({ type }) => type === "transaction");
    for (const { address, chain_id, builder_codes } of transactions)
      assert.deepEqual([address, chain_id, builder_codes], [ADDRESS.toLowerCase(), "8453", "harbor,tidepool"]);
    assert.equal(rows.find(({ event }) => event === "Swap Completed")?.user_id, "user-7");
  });

  test("sends nothing for a visitor who opted out, and again after opting in", async () => {
    const before = (await storedOf("1 = 1", 1)).length;
    await visit(async (opened) => {
      await waitFor("the script", () => opened.evaluate("!Array.isArray(window.sextant)"));
      await opened.evaluate("sextant.optOut()");
      await opened.evaluate("sextant.track('Hidden')");
      await opened.evaluate("sextant.optIn()");
      const sent = opened.waitForResponse((answer) => answer.request().postData()?.includes("Shown") ?? false);
      await opened.evaluate("sextant.track('Shown')");
      await sent;
    });
    await storedOf("event = 'Shown'", 1);
    assert.ok((await storedOf("1 = 1", before)).every(({ event }) => event !== "Hidden"));
  });

  test("tells the developer when the write key is missing", async () => {
    const bare = await startSite(() => `<script src="${service.eventsUrl}/script.js"></script>`);
    const opened = await browser.browser.newPage();
    opened.setDefaultTimeout(60_000);
    const lines: string[] = [];
    opened.on("console", (line) => lines.push(line.text()));
    await opened.goto(`http://127.0.0.1:${(bare.address() as AddressInfo).port}/`);
    await waitFor("the warning", () => lines.some((line) => line.includes("data-key")));
    await opened.close();
    bare.close();
    bare.closeAllConnections();
  });
});

async function startSite(answer: (path: string) => string): Promise<Server> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html").end(answer(request.url ?? ""));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
