import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { WALLET } from "../support/forms.ts";
import { waitFor } from "../support/wait.ts";

/** The control that has the focus: its name, with its value where several share one, or its tag. */
export async function focused(page: Page): Promise<string> {
  return page.evaluate(`(({ name, type, value, tagName }) =>
    !name ? tagName : type === "radio" || type === "checkbox" ? name + "=" + value : name)(document.activeElement)`);
}

export async function tab(page: Page): Promise<string> {
  await page.keyboard.press("Tab");
  return focused(page);
}

/** Every control of the form with all field types, reached and filled in its order with the keyboard alone, and sent. */
export async function fillByKeyboard(page: Page, email: string): Promise<void> {
  const reach = async (name: string) => assert.equal(await tab(page), name);
  const type = async (name: string, text: string) => {
    await reach(name);
    await page.keyboard.type(text);
  };
  const press = async (name: string, ...presses: string[]) => {
    await reach(name);
    for (const key of presses) await page.keyboard.press(key);
  };
  await type("name", "Ada");
  await type("biography", "Line one\nLine two");
  await type("email", email);
  await type("website", "https://example.com/ada");
  await type("age", "36");
  await press("rating=1", "ArrowRight", "ArrowRight", "ArrowRight");
  await type("birthday", "12101815");
  // The date's parts and its calendar button are stops of their own.
  await waitFor("the control after the date", async () => (await tab(page)) === "country");
  await page.keyboard.type("Aus");
  await press("size=s", "Space", "ArrowDown");
  await press("i_agree=true", "Space");
  await press("interests=defi", "Space");
  await press("interests=games", "Space");
  await press("interests=art");
  await press("cv");
  // The dialog that opens here belongs to the system, not to the page.
  const buffer = Buffer.from("the content stays at home");
  await page.setInputFiles("[name=cv]", { name: "cv.pdf", mimeType: "application/pdf", buffer });
  await type("wallet", WALLET);
  await type("x_handle", "@ada");
  await press("BUTTON", "Enter");
}

/** The page's token tells when it was made; it is taken for a robot's when it comes back within a second. */
export async function waitUntilHuman(page: Page): Promise<void> {
  const token = await page.getAttribute("[name=_token]", "value");
  const madeAt = Number(Buffer.from(token ?? "", "base64url").readBigUInt64BE());
  await waitFor("the page to be older than a robot's", () => Date.now() - madeAt > 1_000);
}
