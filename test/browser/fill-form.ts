import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { WALLET } from "../support/forms.ts";
import { waitFor } from "../support/wait.ts";

/** The control that has the focus: its name, with its value if several share the name, or its tag. */
export async function focused(page: Page): Promise<string> {
  return page.evaluate(`(({ name, type, value, tagName }) =>
    !name ? tagName : type === "radio" || type === "checkbox" ? name + "=" + value : name)(document.activeElement)`);
}

export async function tab(page: Page): Promise<string> {
  await page.keyboard.press("Tab");
  return focused(page);
}

/** Fills in every control of the form with all field types in order, by keyboard only, and sends it. */
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
  // The parts of the date and its calendar button are separate tab stops.
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

/** The page's token contains its time: a page sent within a second counts as a robot's. */
export async function waitUntilHuman(page: Page): Promise<void> {
  const token = await page.getAttribute("[name=_token]", "value");
  const madeAt = Number(Buffer.from(token ?? "", "base64url").readBigUInt64BE());
  await waitFor("the page to be older than a robot's", () => Date.now() - madeAt > 1_000);
}
