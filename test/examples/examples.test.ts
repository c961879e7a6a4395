import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, type TestContext, test } from "node:test";
import { startBrowser, watchPage } from "../support/browser.ts";
import { findFreePort } from "../support/free-port.ts";
import { whyNoChromium } from "../support/platform.ts";
import { startProcess } from "../support/process.ts";
import { type Credentials, makeDataDir, readCredentials, startService, type TestService } from "../support/service.ts";
import { waitFor } from "../support/wait.ts";

/** Every example as its README starts it, with one service for all. */
const ROOT = resolve(import.meta.dirname, "../..");
const EXAMPLES = join(ROOT, "examples");
const ADDRESS = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";

type Rows = Record<string, unknown>[];

describe("the examples", () => {
  const data = makeDataDir();
  let service: TestService;
  let credentials: Credentials;

  before(async () => {
    service = await startService(data.dir);
    credentials = readCredentials(data.dir);
  });
  after(async () => {
    await service.kill("SIGTERM");
    data.remove();
  });

  async function callApi(path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await fetch(new URL(path, service.apiUrl), {
      method: "POST",
      headers: { "x-api-key": credentials.apiKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
    return (await answer.json()) as Record<string, unknown>;
  }

  async function select(query: string): Promise<Rows> {
    return (await callApi("/v0/query", { query })).data as Rows;
  }

  test("a server sends an order's event again when the answer is lost, and it counts once", async (t) => {
    let requests = 0;
    // Passes everything on; the first answer is lost on its way back.
    const eventsUrl = await listen(t, async (request, response) => {
      requests += 1;
      const body = await text(request);
      const { authorization = "" } = request.headers;
      const headers = { authorization, "content-type": "application/json" };
      const answer = await fetch(new URL(request.url ?? "", service.eventsUrl), { method: "POST", headers, body });
      if (requests === 1) request.socket.destroy();
      else response.writeHead(answer.status).end(await answer.text());
    });
    const env = { WRITE_KEY: credentials.writeKey, EVENTS_URL: eventsUrl, PORT: "0" };
    const server = startProcess([join(EXAMPLES, "server/server.js")], env);
    t.after(() => server.kill("SIGTERM"));
    const [, orders = ""] = await server.waitForLine(/^orders: (\S+)$/m);
    const answer = await fetch(orders, { method: "POST", body: JSON.stringify({ customer: "user-42", total: 25 }) });
    assert.equal(answer.status, 201);
    const { order } = (await answer.json()) as { order: string };
    await server.waitForLine(new RegExp(`^sent ${order}$`, "m"));
    assert.equal(requests, 2);
    await waitFor("the purchase", async () => (await select("SELECT event FROM events WHERE revenue = 25")).length > 0);
    assert.deepEqual(await select("SELECT channel, user_id, count() AS n FROM events GROUP BY channel, user_id"), [
      { channel: "server", user_id: "user-42", n: 1 },
    ]);
    assert.equal((await fetch(orders, { method: "POST", body: "{" })).status, 400);
  });

  test("a script makes a board with a segment, prints its answers and shares it", async () => {
    const env = { API_KEY: credentials.apiKey, API_URL: service.apiUrl };
    const script = startProcess([join(EXAMPLES, "boards/boards.js")], env);
    assert.equal(await script.exited, 0, script.stderr());
    assert.equal(script.stderr(), "", "every chart answers");
    assert.match(script.stdout(), /Visitors who bought[\s\S]* 1 [\s\S]*'Purchase' │ 25/);
    const [, token = ""] = /^Shared at \S+\/s\/(\S+)$/m.exec(script.stdout()) ?? [];
    const shared = await fetch(new URL(`/api/shared/${token}`, service.apiUrl));
    assert.equal(shared.status, 200, await shared.text());
  });

  test("a script prints a report, the rows of a statement and CSV", async () => {
    const path = join(EXAMPLES, "reports/reports.js");
    const script = startProcess([path], { API_KEY: credentials.apiKey, API_URL: service.apiUrl });
    assert.equal(await script.exited, 0, script.stderr());
    assert.match(script.stdout(), /sum_revenue[\s\S]* 25 [\s\S]*'Purchase' │ 1 +│ 25/);
    assert.match(script.stdout(), /^event,times,total\r?\nPurchase,1,25\.0\r?$/m);
    const refused = startProcess([path], { API_KEY: "sxt_unknown", API_URL: service.apiUrl });
    assert.equal(await refused.exited, 1);
    assert.match(refused.stderr(), /[A-Z_]{6,}: .*docs\/errors/);
    const unknown = startProcess([path], {
      API_KEY: credentials.apiKey,
      API_URL: service.apiUrl,
      PROJECT_ID: "prj_unknown",
    });
    assert.equal(await unknown.exited, 1);
    assert.match(unknown.stderr(), /NOT_FOUND: There is no such project/);
  });

  test("an example without its key says which one, and where it is", async () => {
    for (const [path, setting] of [
      ["reports/reports.js", "API_KEY"],
      ["server/server.js", "WRITE_KEY"],
      ["webhook-receiver/receiver.js", "WEBHOOK_SECRET"],
    ]) {
      const example = startProcess([join(EXAMPLES, path ?? "")], {});
      assert.equal(await example.exited, 1, path);
      assert.match(example.stderr(), new RegExp(`^Set ${setting}: .+\n$`), path);
    }
  });

  test("a receiver accepts what the service signed, and nothing else", async (t) => {
    const port = await findFreePort();
    const target = `http://127.0.0.1:${port}/`;
    const form = await callApi("/api/forms", { title: "Join", fields: [{ label: "Email", type: "email" }] });
    const formId = (form.data as { id: string }).id;
    const hook = await callApi("/api/webhooks", { formId, targetUrl: target, eventTypes: ["FORM_SUBMISSION"] });
    const { secret } = hook.data as { secret: string };
    const path = join(EXAMPLES, "webhook-receiver/receiver.js");
    const receiver = startProcess([path], { WEBHOOK_SECRET: secret, PORT: String(port) });
    t.after(() => receiver.kill("SIGTERM"));
    await receiver.waitForLine(/^receiver: /m);
    const forged = {
      "webhook-id": "1",
      "webhook-timestamp": String(Date.now() / 1000),
      "webhook-signature": "v1,AAAA",
    };
    assert.equal((await fetch(target, { method: "POST", headers: forged, body: "{}" })).status, 401);
    await callApi(`/f/${formId}`, { email: "ada@example.com" });
    const [line] = await receiver.waitForLine(/^\{.*\}$/m);
    const { eventType, email } = JSON.parse(line) as Record<string, unknown>;
    assert.deepEqual({ eventType, email }, { eventType: "FORM_SUBMISSION", email: "ada@example.com" });
  });

  test("a page counts a wallet and a swap, in Chromium", { skip: whyNoChromium() ?? false }, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "page-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const vite = join(ROOT, "node_modules/vite/bin/vite.js");
    const env = { VITE_WRITE_KEY: credentials.writeKey, VITE_EVENTS_URL: service.eventsUrl };
    const build = startProcess([vite, "build", join(EXAMPLES, "page"), "--outDir", dir], env);
    assert.equal(await build.exited, 0, build.stderr());
    const url = await listen(t, (request, response) => {
      const path = join(dir, request.url === "/" ? "index.html" : (request.url ?? ""));
      const type = path.endsWith(".js") ? "text/javascript" : "text/html";
      if (request.url === "/favicon.ico") response.writeHead(204).end();
      else response.writeHead(200, { "content-type": type }).end(readFileSync(path));
    });
    const { browser, userAgent, close } = await startBrowser();
    t.after(close);
    const page = await browser.newPage({ userAgent });
    const { problems } = watchPage(page);
    await page.addInitScript(addWallet, ADDRESS);
    await page.goto(url);
    await page.click("#connect");
    await page.getByText(`Test Wallet: ${ADDRESS}`).waitFor();
    // The SDK counts a view after 300 ms, not that of a visitor who leaves earlier; this whole visit may take 170 ms.
    // Of timers with one delay, the first that was set ends first.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
    await page.click("#swap");
    await page.getByText("Swapped").waitFor();
    // The SDK sends what it has collected when somebody leaves.
    await page.goto("about:blank");
    const types = "SELECT type, count() AS n FROM events WHERE channel = 'web' GROUP BY type ORDER BY type";
    await waitFor("the events of the page", async () => (await select(types)).length === 4);
    assert.deepEqual(await select(types), [
      { type: "connect", n: 1 },
      { type: "detect", n: 1 },
      { type: "page", n: 1 },
      { type: "track", n: 1 },
    ]);
    assert.deepEqual(
      await select("SELECT lower(address) AS address, volume, revenue FROM events WHERE event = 'Swap'"),
      [{ address: ADDRESS, volume: 500, revenue: 1.5 }],
    );
    assert.deepEqual(problems, []);
  });
});

test("every example has a README that the list links, and the versions that are tested", () => {
  const list = readFileSync(join(EXAMPLES, "README.md"), "utf8");
  const root = readManifest(ROOT);
  const tested = { ...readManifest(join(ROOT, "dashboard")).devDependencies, ...root.devDependencies };
  const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.ok(folders.length >= 4);
  for (const { name } of folders) {
    assert.ok(list.includes(`[${name}](${name}/)`), name);
    const readme = readFileSync(join(EXAMPLES, name, "README.md"), "utf8");
    const { scripts = {}, dependencies = {}, devDependencies = {}, overrides } = readManifest(join(EXAMPLES, name));
    // Only Vite needs one. npm reads those of the folder in which it installs, not those of the repository.
    if ("vite" in devDependencies) assert.deepEqual(overrides, root.overrides, name);
    for (const [, script = ""] of readme.matchAll(/npm (?:run )?(start|build)/g)) assert.ok(script in scripts, name);
    for (const [needed, version] of Object.entries({ ...dependencies, ...devDependencies }))
      assert.equal(version, tested[needed], `${name}: ${needed}`);
  }
});

interface Manifest {
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  overrides?: Record<string, string>;
}

function readManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as Manifest;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

async function listen(t: TestContext, answer: Answer): Promise<string> {
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs in the page: a wallet extension as EIP-6963 and EIP-1193 describe it. */
function addWallet(address: string): void {
  const listeners = new Map<string, (accounts: string[]) => void>();
  let accounts: string[] = [];
  const provider = {
    async request({ method }: { method: string }) {
      if (method === "eth_requestAccounts") {
        accounts = [address];
        listeners.get("accountsChanged")?.(accounts);
      }
      return method === "eth_chainId" ? "0x2105" : accounts;
    },
    on: (name: string, listener: (accounts: string[]) => void) => listeners.set(name, listener),
    removeListener: (name: string) => listeners.delete(name),
  };
  const info = {
    uuid: "6f3a8f6e-3c4f-4c39-8f0e-2f6c6f2f4a11",
    name: "Test Wallet",
    icon: "",
    rdns: "org.example.wallet",
  };
  const page = globalThis as unknown as EventTarget;
  const announce = () => {
    const detail = Object.freeze({ info, provider });
    page.dispatchEvent(Object.assign(new Event("eip6963:announceProvider"), { detail }));
  };
  page.addEventListener("eip6963:requestProvider", announce);
  announce();
}
