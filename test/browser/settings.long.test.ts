import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sampleEvent } from "../support/events.ts";
import { findFreePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait.ts";
import { makeWallet } from "../support/wallet.ts";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import { type DashboardService, OWNER, startDashboard } from "./dashboard-service.ts";

const NOBODY = { storageState: { cookies: [], origins: [] } };

describe("settings, SQL and System in a real Chromium", () => {
  let site: DashboardService;
  before(async () => {
    // Passkeys belong to a host name.
    const port = await findFreePort();
    site = await startDashboard({
      SEXTANT_API_PORT: String(port),
      SEXTANT_PUBLIC_API_URL: `http://localhost:${port}`,
    });
    await site.send([sampleEvent("good"), sampleEvent("bad", { anonymous_id: 7 })]);
    await site.withPage({}, async (page) => {
      await page.goto(site.credentials.setupUrl);
      await page.fill("[name=name]", OWNER.name);
      await page.fill("[name=password]", OWNER.password);
      await page.click("button[type=submit]");
      await page.getByRole("heading", { name: "How do you want to begin?" }).waitFor();
      await page.getByText("An event has arrived: done").waitFor();
    });
  });
  after(() => site.stop());

  const open = async (page: Page, path: string) => {
    await page.goto(`${site.service.apiUrl}/app${path}`);
    await page.locator("main h1").first().waitFor({ state: "attached" });
  };

  test("SQL completes the columns of FROM while somebody types, without a violation of the policy", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "/sql");
      await page.getByText(/^\d+ tables without rows$/).click();
      await page.getByText("wallet_profiles", { exact: true }).waitFor();
      const text = page.locator(".sql-editor .cm-content");
      const offered = page.locator(".sql-editor .cm-tooltip-autocomplete li");
      const replaceAll = async (typed: string) => {
        await text.click();
        await page.keyboard.press("Control+a");
        await page.keyboard.type(typed);
        await page.keyboard.press("Escape");
      };
      await replaceAll("SELECT  FROM sessions");
      for (let left = 0; left < " FROM sessions".length; left += 1) await page.keyboard.press("ArrowLeft");
      await page.keyboard.type("latest");
      await offered.first().waitFor();
      assert.match((await offered.allTextContents()).join(), /latest_hit/);
      assert.doesNotMatch((await offered.allTextContents()).join(), /PASSING|PLACING/);
      await page.keyboard.press("Escape");
      await replaceAll("SELECT 9007199254740993 AS large, 8453 AS chain, 0.125 AS small");
      await page.keyboard.press("Control+Enter");
      await page.locator(".sql-main td").first().waitFor();
      assert.deepEqual(await page.locator(".sql-main td").allTextContents(), ["9007199254740993", "8453", "0.125"]);
    });
  });

  test("saved SQL is kept for the project: another browser shows it, renames it and deletes it", async () => {
    const text = "SELECT 9007199254740993 AS large";
    await site.withPage({}, async (page) => {
      await open(page, `/sql?q=${encodeURIComponent(text)}`);
      await page.getByLabel("Name of this query").fill("Large");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("button", { name: "Large", exact: true }).waitFor();
    });
    await site.withPage({}, async (page) => {
      await open(page, "/sql");
      const row = page.getByRole("button", { name: "Large", exact: true });
      await page
        .locator(".sql-saved li", { has: row })
        .getByText(/^ada, /)
        .waitFor();
      await row.click();
      await page.locator(".sql-editor .cm-content").getByText(text).waitFor();
      await page.getByRole("button", { name: "Rename Large" }).click();
      await page.getByLabel("New name").fill("Larger");
      await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
      await page.getByRole("button", { name: "Larger", exact: true }).waitFor();
      await expectAccessible(page, "sql-saved");
      await page.setViewportSize({ width: 360, height: 740 });
      await expectNoOverflow(page, "sql-saved");
      await page.getByRole("button", { name: "Delete Larger" }).click();
      await page.getByRole("button", { name: "Delete it" }).click();
      await page.getByRole("button", { name: "Larger", exact: true }).waitFor({ state: "detached" });
    });
  });

  test("queries that the browser kept are moved to the project once", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "/sql");
      const { user, project } = await page.evaluate(async () => {
        const { data } = (await (await fetch("/api/account")).json()) as {
          data: { user: { id: string }; workspaces: { projects: { id: string }[] }[] };
        };
        return { user: data.user.id, project: data.workspaces[0]?.projects[0]?.id ?? "" };
      });
      const kept = ["One", "Two", "Three"].map((name) => ({ name, text: `SELECT '${name}'` }));
      await page.evaluate(([key, value]) => localStorage.setItem(key, value), [
        `sextant.queries.${user}.${project}`,
        JSON.stringify(kept),
      ] as const);
      await page.reload();
      await page.getByRole("button", { name: "Move 3 saved queries to the project" }).click();
      for (const { name } of kept) await page.getByRole("button", { name, exact: true }).waitFor();
      await page.getByText("only in this browser").waitFor({ state: "detached" });
      const stored = await page.evaluate(async (id) => {
        const { data } = (await (await fetch(`/v0/saved_queries?project_id=${id}`)).json()) as {
          data: { name: string; query: string }[];
        };
        return data.map(({ name, query }) => `${name}: ${query}`);
      }, project);
      assert.deepEqual(stored, ["One: SELECT 'One'", "Three: SELECT 'Three'", "Two: SELECT 'Two'"]);
      await page.reload();
      await page.getByRole("button", { name: "Three", exact: true }).waitFor();
      assert.equal(await page.getByText("only in this browser").count(), 0);
    });
  });

  test("an answer is opened with its webhooks and its wallet, and deleted after a question", async () => {
    const wallet = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    const call = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${site.service.apiUrl}${path}`, {
        method,
        headers: { "x-api-key": site.credentials.apiKey, "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
      return ((await answer.json()) as { data: Record<string, unknown> }).data;
    };
    await site.send([sampleEvent("by-wallet", { type: "connect", address: wallet })]);
    const fields = [
      { label: "Name", type: "short_text" },
      { label: "Wallet", type: "wallet" },
    ];
    const id = String((await call("POST", "/api/forms", { title: "Airdrop", fields })).id);
    // Nothing listens there, so it is tried again for days.
    const targetUrl = "http://127.0.0.1:9/hook";
    await call("POST", "/api/webhooks", { formId: id, targetUrl, eventTypes: ["FORM_SUBMISSION"] });
    await call("POST", `/f/${id}`, { name: "Erase Me", wallet });
    await call("POST", `/f/${id}`, { name: "Keep Me" });
    await site.withPage({}, async (page) => {
      await open(page, `/forms?form=${id}`);
      await page
        .getByRole("row", { name: /Erase Me/ })
        .getByRole("button")
        .click();
      const dialog = page.getByRole("dialog", { name: "Answer" });
      await dialog.getByText("Erase Me").waitFor();
      await dialog.getByText(targetUrl).waitFor();
      await dialog.getByText(/^(pending|sending)$/).waitFor();
      await expectAccessible(page, "answer");
      assert.match(page.url(), /answer=sub_/, "a link opens it, too");
      await dialog.getByRole("link", { name: "Activity of this wallet" }).click();
      await page.waitForURL(/activity/);
      await page.locator("main").getByText("0x5aae").first().waitFor();
      await page.goBack();
      await dialog.getByRole("button", { name: "Delete this answer" }).click();
      await dialog.getByRole("button", { name: "Delete it for good" }).click();
      await dialog.getByText("The answer is deleted.").waitFor();
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.getByRole("cell", { name: "Keep Me" }).waitFor();
      await page.getByRole("cell", { name: "Erase Me" }).waitFor({ state: "detached" });
    });
    const { items } = await call("GET", `/api/webhooks/${id}/poll`);
    assert.deepEqual(
      (items as { name: string }[]).map(({ name }) => name),
      ["Keep Me"],
    );
  });

  test("a BI token made in the settings reads the project until it is revoked there", async () => {
    await site.withPage({ viewport: { width: 360, height: 740 } }, async (page) => {
      await open(page, "/settings?tab=keys");
      await page.getByRole("button", { name: "New BI token" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("Grafana");
      await page.getByRole("button", { name: "Make it" }).click();
      const token = (await page.getByRole("dialog", { name: "New BI token" }).locator("pre").textContent()) ?? "";
      assert.match(token, /^sxr_/);
      await page.keyboard.press("Escape");
      const read = () =>
        fetch(`${site.service.apiUrl}/clickhouse`, {
          method: "POST",
          headers: { authorization: `Basic ${btoa(`default:${token}`)}` },
          body: "SELECT count() FROM events",
        });
      const answer = await read();
      const { data } = (await (
        await fetch(`${site.service.apiUrl}/v0/query`, {
          method: "POST",
          headers: { authorization: `Bearer ${site.credentials.apiKey}`, "content-type": "application/json" },
          body: JSON.stringify({ query: "SELECT count() AS n FROM events" }),
        })
      ).json()) as { data: { n: number }[] };
      assert.deepEqual([answer.status, (await answer.text()).trim()], [200, String(data[0]?.n)]);
      assert.ok((data[0]?.n ?? 0) > 0);
      const tokens = page.getByRole("region", { name: "BI tokens" });
      await expectNoOverflow(page, "keys");
      await tokens.getByRole("button", { name: "Revoke" }).click();
      await page.getByRole("button", { name: "Revoke it" }).click();
      await tokens.getByText("revoked").waitFor();
      await waitFor("the token to stop", async () => (await read()).status !== 200);
    });
  });

  test("an invited viewer joins by the link and sees no keys, and ownership is handed over only after a question", async () => {
    let link = "";
    await site.withPage({}, async (page) => {
      await open(page, "/settings?tab=members");
      await page.getByRole("button", { name: "Invite", exact: true }).click();
      await page.getByRole("button", { name: "Make the link" }).click();
      link = (await page.getByRole("dialog", { name: "Invite link" }).locator("pre").textContent()) ?? "";
    });
    await site.withPage(NOBODY, async (page) => {
      await page.goto(link.split("#")[0] ?? "");
      await page.getByText("This link cannot be used").waitFor();
      // Pasted into the same tab, the link changes only what is behind the #.
      await page.goto(link);
      await page.getByText("You are invited as viewer.").waitFor();
      await page.fill("[name=name]", "grace");
      await page.fill("[name=password]", OWNER.password);
      await page.click("button[type=submit]");
      await page.waitForURL(/\/app/);
      await open(page, "/settings?tab=keys");
      await page.getByRole("button", { name: "My account" }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Keys", exact: true }).count(), 0);
      assert.equal(await page.getByText("Begins with").count(), 0);
      for (const path of ["keys", "write-keys", "bi-tokens", "system"]) {
        const status = await page.evaluate(async (url) => (await fetch(url)).status, `/api/settings/${path}`);
        assert.equal(status, 403, path);
      }
    });
    await site.withPage({}, async (page) => {
      await open(page, "/settings?tab=members");
      await page.getByLabel("Role of grace").selectOption("owner");
      await page.getByRole("dialog", { name: "Make grace the owner?" }).waitFor();
      await page.getByRole("button", { name: "Stay the owner" }).click();
      assert.equal(await page.getByLabel("Role of grace").inputValue(), "viewer");
      await page.getByRole("button", { name: "Audit log" }).click();
      await page.getByRole("cell", { name: "Created a BI token" }).waitFor();
      await expectAccessible(page, "audit log");
    });
  });

  test("System says what is wrong with a parked event, tries it again, and names engine and disk", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "/system");
      const parked = page.getByRole("region", { name: "Parked events" });
      await parked.getByText("anonymous_id must be a string").waitFor();
      await parked.getByRole("button", { name: "Replay all" }).click();
      await parked.getByText("0 stored, 1 still invalid.").waitFor();
      await page.getByText(/^DuckDB v\d/).waitFor();
      await page.getByText(/ free \(/).waitFor();
      await page.getByRole("button", { name: "What happened to every event: more" }).click();
      await page.getByRole("menuitem", { name: "Show as table" }).click();
      const rows = page.getByRole("region", { name: "What happened to every event, table" }).locator("tbody tr");
      await rows.first().waitFor();
      assert.equal(await rows.count(), 24);
    });
  });

  test("a passkey made in the settings signs in", async () => {
    await site.withPage({}, async (page) => {
      const devices = await page.context().newCDPSession(page);
      await devices.send("WebAuthn.enable");
      await devices.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      await open(page, "/settings?tab=account");
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await page.getByRole("region", { name: "Passkeys" }).getByText("Chrome on Linux").waitFor();
      await page.context().clearCookies();
      await page.goto(`${site.service.apiUrl}/sign-in#error=Call%20this%20number`);
      await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
      assert.equal(await page.getByText("Call this number").count(), 0, "a text of the sender is not ours");
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.waitForURL(/\/app/);
      await page.locator(".headline-card").first().waitFor();
    });
  });

  test("a wallet added in the settings signs in, and one that does not sign is told so", async () => {
    const wallet = makeWallet();
    await site.withPage({}, async (page) => {
      let refuses = false;
      // The key stays out of the page, as it does with a wallet.
      await page.exposeFunction("walletSigns", (hex: string) =>
        refuses ? null : wallet.sign(Buffer.from(hex.slice(2), "hex").toString("utf8")),
      );
      await page.addInitScript(offerWallet, wallet.address);
      await open(page, "/settings?tab=account");
      await page.getByRole("button", { name: "Add this wallet" }).click();
      await page.getByRole("region", { name: "Wallets" }).getByText(wallet.address).waitFor();
      await page.context().clearCookies();
      await page.goto(`${site.service.apiUrl}/sign-in`);
      refuses = true;
      await page.getByRole("button", { name: "Sign in with a wallet" }).click();
      await page.getByRole("alert").getByText("The wallet did not sign.").waitFor();
      refuses = false;
      await page.getByRole("button", { name: "Sign in with a wallet" }).click();
      await page.waitForURL(/\/app/);
      await page.locator(".headline-card").first().waitFor();
    });
  });

  test("who signed in long ago confirms it before adding a method, and a new password names the methods left", async () => {
    await site.withPage(NOBODY, async (page) => {
      await page.goto(`${site.service.apiUrl}/sign-in`);
      await page.fill("[name=name]", OWNER.name);
      await page.fill("[name=password]", OWNER.password);
      await page.click("button[type=submit]");
      await page.waitForURL(/\/app/);
      // The session of this sign-in looks old to the page; the one that follows does not.
      let old: string | undefined;
      await page.route("**/api/account", async (route) => {
        const answer = await route.fetch();
        const body = (await answer.json()) as { data: { session: { id: string; freshUntil: string } } };
        old ??= body.data.session.id;
        if (body.data.session.id === old) body.data.session.freshUntil = "2020-01-01T00:00:00.000Z";
        await route.fulfill({ response: answer, json: body });
      });
      await open(page, "/settings?tab=account");
      const confirm = page.getByRole("region", { name: "Confirm that it is you" });
      const add = page.getByRole("button", { name: "Add a passkey" });
      await confirm.waitFor();
      assert.equal(await add.isDisabled(), true);
      await expectAccessible(page, "confirm");
      await confirm.getByLabel("Password").fill(OWNER.password);
      await confirm.getByRole("button", { name: "Confirm" }).click();
      await confirm.waitFor({ state: "detached" });
      assert.equal(await add.isDisabled(), false);
      const password = page.getByRole("region", { name: "Password", exact: true });
      await password.getByLabel("Current password").fill(OWNER.password);
      await password.getByLabel("New password").fill(`${OWNER.password} again`);
      await password.getByRole("button", { name: "Change it" }).click();
      const said = (await password.getByRole("status").textContent()) ?? "";
      const wallets = page.getByRole("region", { name: "Wallets" }).locator("td code");
      for (const address of await wallets.allTextContents()) assert.ok(said.includes(`wallet ${address}`), said);
      assert.match(said, /can still sign in, remove below what is not yours: passkey Chrome on Linux, wallet 0x/);
    });
  });

  test("another site cannot show the dashboard in a frame", async () => {
    const page = await site.chromium.browser.newPage();
    page.setDefaultTimeout(60_000);
    try {
      await page.setContent(`<iframe src="${site.service.apiUrl}/sign-in"></iframe>`);
      await waitFor("the frame to be refused", async () =>
        Boolean(page.frames()[1]?.url().startsWith("chrome-error://")),
      );
    } finally {
      await page.close();
    }
  });
});

/** Runs in the page: an EIP-1193 wallet with one account. */
function offerWallet(address: string): void {
  const page = globalThis as unknown as { ethereum: object; walletSigns(hex: string): Promise<string | null> };
  page.ethereum = {
    async request({ method, params = [] }: { method: string; params?: string[] }) {
      if (method === "eth_requestAccounts") return [address];
      if (method === "eth_chainId") return "0x1";
      const signature = await page.walletSigns(params[0] ?? "");
      if (signature === null) throw Object.assign(new Error("User rejected the request."), { code: 4001 });
      return signature;
    },
  };
}
