import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import type { FormView } from "../../src/contract/forms.ts";
import type { Delivery } from "../../src/webhooks/delivery.ts";
import { startApi, type TestApi, type TestKey } from "../support/api.ts";
import { startBrowser, type TestBrowser, watchPage } from "../support/browser.ts";
import { startTestDelivery } from "../support/delivery.ts";
import { callApi, EVERY_FIELD, EVERY_ITEM, makeForm, pollItems, WALLET } from "../support/forms.ts";
import { startTarget, type Target } from "../support/targets.ts";
import { waitFor } from "../support/wait.ts";
import { makeWallet } from "../support/wallet.ts";
import { expectAccessible, expectNoOverflow } from "./accessible.ts";
import { fillByKeyboard, focused, tab, waitUntilHuman } from "./fill-form.ts";

const ARTIFACTS = resolve(import.meta.dirname, "../../test-artifacts");
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
/** Colours do not depend on the width, nor the layout on colours: each theme at one of the widths. */
const LOOKS = [
  { name: "desktop-light", viewport: DESKTOP, colorScheme: "light" },
  { name: "phone-dark", viewport: PHONE, colorScheme: "dark" },
] as const;

const FORM = {
  ...EVERY_FIELD,
  title: "Join the Harbor beta",
  description: "Tell us a little about yourself and how you use onchain apps.\nIt takes about two minutes.",
};

describe("the hosted form in a real Chromium", () => {
  let api: TestApi;
  let key: TestKey;
  let form: FormView;
  let chromium: TestBrowser;
  let target: Target;
  let delivery: Delivery;
  before(async () => {
    api = await startApi("sqlite", {}, []);
    key = await api.createKey();
    target = await startTarget((response) => void response.end());
    delivery = await startTestDelivery(api.store);
    form = await makeForm(api, key, FORM);
    chromium = await startBrowser();
  });
  after(async () => {
    await chromium.close();
    await delivery.stop();
    await target.close();
    await api.stop();
  });

  /** A page that fails the test if it contacts another host or logs an error to the console. */
  async function withPage(options: BrowserContextOptions, use: (page: Page) => Promise<void>): Promise<void> {
    const context = await chromium.browser.newContext({ locale: "en-US", ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    const hosts = new Set<string>();
    page.on("request", (request) => {
      if (!request.url().startsWith("data:")) hosts.add(new URL(request.url()).host);
    });
    const { problems } = watchPage(page);
    try {
      await use(page);
      assert.deepEqual([...hosts], [new URL(api.apiUrl).host]);
      // Chromium itself notes every status from 400 on.
      const own = problems.filter((line) => !/the server responded with a status of 4\d\d/.test(line));
      assert.deepEqual(own, []);
    } finally {
      await context.close();
    }
  }
  const waitForThanks = (page: Page, url: string) =>
    page.waitForURL((at) => at.href.startsWith(`${url}?sent=1`), { timeout: 60_000 });

  test("every field type works by keyboard, an error is beside its field, and poll and webhook get all", async () => {
    const hook = { formId: form.id, targetUrl: target.url, eventTypes: ["FORM_SUBMISSION"] };
    assert.equal((await callApi(api, key, "POST", "/api/webhooks", hook)).status, 201);
    await withPage({ viewport: DESKTOP }, async (page) => {
      await page.goto(form.url);
      await fillByKeyboard(page, "ada at example");
      await page.waitForSelector(".summary:focus");
      assert.equal(await page.title(), `Error: ${FORM.title}`);
      const message = "Enter an email address, for example name@example.com.";
      assert.deepEqual(await page.locator(".error").allTextContents(), [message]);
      assert.equal(await page.textContent(".field:has([name=email]) #field-email-error"), message);
      assert.equal(await page.inputValue("[name=email]"), "ada at example");
      assert.equal(await page.inputValue("[name=biography]"), "Line one\nLine two");
      assert.equal(await page.inputValue("[name=country]"), "at");
      assert.ok(await page.isChecked("[name=interests][value=games]"));
      assert.equal(await tab(page), "A");
      await page.keyboard.press("Enter");
      assert.equal(await focused(page), "email");
      await page.keyboard.press("Control+A");
      await page.keyboard.type("ada@example.com");
      await waitUntilHuman(page);
      await page.keyboard.press("Enter");
      await waitForThanks(page, form.url);
      assert.equal(await page.textContent("h1"), "Thank you");
      await page.reload();
      const items = await pollItems(api, key, form.id);
      assert.equal(items.length, 1);
      assert.partialDeepStrictEqual(items[0], { ...EVERY_ITEM, cv: { name: "cv.pdf", size: null, type: null } });
      const received = await waitFor("the submission at the target", () => target.received[0]);
      assert.partialDeepStrictEqual(JSON.parse(received.body), { ...items[0], eventType: "FORM_SUBMISSION" });
    });
  });

  test("without JavaScript a phone shows errors, keeps the input, sends the form and shows thanks", async () => {
    const plain = await makeForm(api, key, FORM);
    await withPage({ viewport: PHONE, hasTouch: true, javaScriptEnabled: false }, async (page) => {
      await page.goto(plain.url);
      await page.fill("[name=name]", "Grace");
      await page.fill("[name=biography]", "\nbegins with a blank line");
      await page.tap("button");
      await page.waitForSelector(".summary");
      assert.equal(await page.locator(".error").count(), 5);
      assert.equal(await page.inputValue("[name=name]"), "Grace");
      assert.equal(await page.inputValue("[name=biography]"), "\nbegins with a blank line");
      await page.fill("[name=email]", "grace@example.com");
      await page.tap(".rate:has([value='5'])");
      await page.selectOption("[name=country]", "de");
      await page.check("[name=i_agree]");
      await page.fill("[name=wallet]", WALLET);
      await waitUntilHuman(page);
      await page.tap("button");
      await waitForThanks(page, plain.url);
      const [item] = await pollItems(api, key, plain.id);
      assert.partialDeepStrictEqual(item, { name: "Grace", rating: 5, country: "Germany", size: null, interests: [] });
    });
  });

  test("a wallet that is announced signs for the form, after it refused once, and the address is proven", async () => {
    const signed = await makeForm(api, key, {
      title: "Airdrop",
      fields: [
        { label: "Name", type: "short_text", required: true },
        { label: "Wallet", type: "wallet", required: true, proof: "signature" },
      ],
    });
    const wallet = makeWallet();
    let refuses = true;
    for (const { name, ...look } of LOOKS)
      await withPage(look, async (page) => {
        await page.exposeFunction("walletSigns", (hex: string) =>
          refuses ? null : wallet.sign(Buffer.from(hex.slice(2), "hex").toString("utf8")),
        );
        await page.addInitScript(announceWallet, wallet.address);
        await page.goto(signed.url);
        const button = page.getByRole("button", { name: "Sign with Test Wallet" });
        await button.waitFor();
        await expectAccessible(page, `form-wallet-${name}`);
        await expectNoOverflow(page, `form-wallet-${name}`);
        refuses = true;
        await button.click();
        await page.getByText("The wallet did not sign. Please try again.").waitFor();
        await waitUntilHuman(page);
        await page.getByRole("button", { name: "Send" }).click();
        await page.getByRole("link", { name: "Wallet" }).waitFor();
        refuses = false;
        await button.click();
        await page.getByText("Signed.").waitFor();
        assert.equal(await page.getByLabel("Wallet").inputValue(), wallet.address);
        // The name is missing, so the page comes again, with the signature.
        await page.getByRole("button", { name: "Send" }).click();
        await page.getByRole("link", { name: "Name" }).waitFor();
        assert.equal(await page.getByLabel("Wallet").inputValue(), wallet.address);
        await page.getByLabel("Name").fill("Ada");
        await page.getByRole("button", { name: "Send" }).click();
        await waitForThanks(page, signed.url);
      });
    const items = await pollItems(api, key, signed.id);
    assert.deepEqual(
      items.map((item) => item.wallet),
      LOOKS.map(() => wallet.address),
    );
  });

  test("without a wallet the page says so, and without JavaScript what it needs", async () => {
    const fields = [{ label: "Wallet", type: "wallet", proof: "signature" }];
    const signed = await makeForm(api, key, { title: "Airdrop", fields });
    await withPage({}, async (page) => {
      await page.goto(signed.url);
      await page.getByText("No wallet was found in this browser.").waitFor();
    });
    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(signed.url);
      await page.getByText("This question needs JavaScript and a wallet in this browser").waitFor();
      await waitUntilHuman(page);
      // The question is not required, so the others can still be answered.
      await page.getByRole("button", { name: "Send" }).click();
      await waitForThanks(page, signed.url);
    });
  });

  test("pressing Send twice at once is one submission", async () => {
    const small = await makeForm(api, key);
    await withPage({ viewport: DESKTOP }, async (page) => {
      await page.goto(small.url);
      await page.fill("[name=name]", "Ada");
      await waitUntilHuman(page);
      await page.dblclick("button");
      await waitForThanks(page, small.url);
      assert.equal((await pollItems(api, key, small.id)).length, 1);
    });
  });

  test("a submission by a robot is marked as spam and is not polled", async () => {
    const small = await makeForm(api, key);
    await withPage({ viewport: DESKTOP }, async (page) => {
      await page.goto(small.url);
      await page.evaluate(`for (const input of document.querySelectorAll("input[type=text]")) input.value = "spam"`);
      await waitUntilHuman(page);
      await page.click("button");
      await waitForThanks(page, small.url);
      assert.deepEqual(await pollItems(api, key, small.id), []);
      const spam = await callApi(api, key, "GET", `/api/forms/${small.id}/submissions?spam=true`);
      const { data } = (await spam.json()) as { data: { spamReason: string }[] };
      assert.deepEqual(
        data.map((item) => item.spamReason),
        ["honeypot"],
      );
    });
  });

  test("axe accepts form, errors, thanks and unknown form in both themes; none is wider than a desktop or a phone", async () => {
    await withPage({ reducedMotion: "reduce" }, async (page) => {
      const look = async (state: string) => {
        for (const { name, viewport, colorScheme } of LOOKS) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize(viewport);
          await page.screenshot({ path: join(ARTIFACTS, `form-${name}-${state}.png`), fullPage: true });
          await expectAccessible(page, `${name} ${state}`);
          await expectNoOverflow(page, `${name} ${state}`);
        }
      };
      await page.goto(form.url);
      await look("empty");
      await page.fill("[name=name]", "Ada");
      await page.fill("[name=email]", "ada at example");
      await page.click(".rate:has([value='4'])");
      await page.check("[name=size][value=l]");
      await page.check("[name=interests][value=games]");
      await page.click("button");
      await page.waitForSelector(".summary");
      await look("errors");
      await page.goto(`${form.url}?sent=1`);
      await look("thanks");
      await page.goto(`${api.apiUrl}/f/frm_nothing`);
      await look("unknown");
    });
  });

  test("text at twice its size, a phone of 320 px and very long words fit the page", async () => {
    const options = [{ label: "y".repeat(300), value: "y" }];
    const long = await makeForm(api, key, {
      title: "W".repeat(80),
      fields: ["radio", "select", "checkbox_group"].map((type) => ({ label: "x".repeat(300), type, options })),
    });
    await withPage({ viewport: { width: 320, height: 640 } }, async (page) => {
      for (const url of [form.url, long.url]) {
        await page.goto(url);
        await page.evaluate(`document.documentElement.style.setProperty("font-size", "200%")`);
        await expectNoOverflow(page, url);
      }
    });
  });
});

/** Runs in the page: a wallet that announces itself (EIP-6963) and signs by the test's key. */
function announceWallet(address: string): void {
  const page = globalThis as unknown as EventTarget & { walletSigns(hex: string): Promise<string | null> };
  const provider = {
    async request({ method, params = [] }: { method: string; params?: string[] }) {
      if (method === "eth_requestAccounts") return [address];
      if (method === "eth_chainId") return "0x2105";
      const signature = await page.walletSigns(params[0] ?? "");
      if (signature === null) throw Object.assign(new Error("User rejected the request."), { code: 4001 });
      return signature;
    },
  };
  const detail = { info: { uuid: "1", name: "Test Wallet", icon: "data:,", rdns: "example.test" }, provider };
  const announce = () => page.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  page.addEventListener("eip6963:requestProvider", announce);
  announce();
}
