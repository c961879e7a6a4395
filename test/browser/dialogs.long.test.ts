/** Dialogs, menus and forms on a slow line and a busy page, in a real Chromium. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { callApi, makeBoard, openBoard } from "./board-site.ts";
import { type DashboardService, startDashboard, visits } from "./dashboard-service.ts";
import { settle, TWO_FRAMES } from "./settle.ts";

/** Long enough for the second click to be there before the page is done with the first. */
const BUSY_AT_CLICK = `addEventListener("click", () => {
  const until = performance.now() + 500;
  while (performance.now() < until);
}, true)`;

const MAKE_KITES = `fetch("/api/settings/projects", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"name":"Kites"}',
})`;

describe("dialogs of the dashboard", () => {
  let site: DashboardService;
  before(async () => {
    site = await startDashboard();
    await site.send(visits());
    await site.makeFirstAccount();
  });
  after(() => site.stop());

  const open = async (page: Page, path: string) => {
    await page.goto(`${site.service.apiUrl}/app${path}`);
    await settle(page);
  };

  test("a double click on a busy page writes once", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "/settings?tab=projects");
      await page.getByRole("button", { name: "New project" }).click();
      const dialog = page.getByRole("dialog", { name: "New project" });
      await dialog.getByLabel("Name").fill("Only once");
      const writes: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST" && request.url().endsWith("/api/settings/projects")) writes.push(request.url());
      });
      await page.evaluate(BUSY_AT_CLICK);
      const box = await dialog.getByRole("button", { name: "Make it" }).boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await Promise.all([page.mouse.down(), page.mouse.up(), page.mouse.down(), page.mouse.up()]);
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("cell", { name: "Only once" }).first().waitFor();
      assert.equal(writes.length, 1);
    });
  });

  test("the answer of a dialog that was left does not close another one, nor the same opened again", async () => {
    const board = await makeBoard(site, "Renamed late");
    await site.withPage({}, async (page) => {
      await openBoard(site, page, board);
      let held = Promise.withResolvers<void>();
      await page.route(`**/v0/boards/${board}`, async (route) => {
        if (route.request().method() !== "PATCH") return route.continue();
        await held.promise;
        return route.continue();
      });
      const choose = async (item: string) => {
        await page.locator(".board-tools [aria-haspopup=menu]").click();
        await page.getByRole("menuitem", { name: item }).click();
      };
      for (const [next, name] of [
        ["Delete the board", /^Delete “/],
        ["Rename", "Rename the board"],
      ] as const) {
        held = Promise.withResolvers<void>();
        await choose("Rename");
        const dialog = page.getByRole("dialog", { name: "Rename the board" });
        await dialog.getByLabel("Name").fill(`Renamed before ${next}`);
        const sent = page.waitForRequest((request) => request.method() === "PATCH");
        await dialog.getByRole("button", { name: "Save" }).click();
        await sent;
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        await choose(next);
        await page.getByRole("dialog", { name }).waitFor();
        held.resolve();
        await page.getByRole("heading", { name: `Renamed before ${next}`, level: 1 }).waitFor();
        await page.evaluate(TWO_FRAMES);
        assert.ok(await page.getByRole("dialog", { name }).isVisible());
        await page.keyboard.press("Escape");
      }
      assert.equal(
        (await callApi<{ title: string }>(site, "GET", `/v0/boards/${board}`)).title,
        "Renamed before Rename",
      );
    });
  });

  test("the answer to a deletion leaves the page that was opened meanwhile", async () => {
    const [gone, other] = [await makeBoard(site, "Gone"), await makeBoard(site, "Other")];
    await site.withPage({}, async (page) => {
      await openBoard(site, page, gone);
      const held = Promise.withResolvers<void>();
      await page.route(`**/v0/boards/${gone}*`, async (route) => {
        if (route.request().method() !== "DELETE") return route.continue();
        await held.promise;
        return route.continue();
      });
      await page.locator(".board-tools [aria-haspopup=menu]").click();
      await page.getByRole("menuitem", { name: "Delete the board" }).click();
      const sent = page.waitForRequest((request) => request.method() === "DELETE");
      await page.getByRole("button", { name: "Delete the board", exact: true }).click();
      await sent;
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Boards", exact: true }).first().click();
      await page
        .getByRole("button", { name: /^Other\b/ })
        .first()
        .click();
      await page.getByRole("heading", { name: "Other", level: 1 }).waitFor();
      const answered = page.waitForResponse((response) => response.request().method() === "DELETE");
      held.resolve();
      await answered;
      await page.evaluate(TWO_FRAMES);
      assert.equal(new URL(page.url()).searchParams.get("board"), other);
      assert.ok(await page.getByRole("heading", { name: "Other", level: 1 }).isVisible());
    });
  });

  test("the focus goes back to where it was, whichever way a dialog is closed", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "/settings?tab=projects");
      const inDialog = (name: string) => page.getByRole("dialog").getByRole("button", { name }).click();
      for (const [name, leave] of [
        ["New project", () => page.keyboard.press("Escape")],
        ["New project", () => inDialog("Close")],
        ["Delete", () => inDialog("Keep it")],
      ] as const) {
        await page.getByRole("button", { name, exact: true }).first().focus();
        await page.keyboard.press("Enter");
        await page.getByRole("dialog").waitFor();
        await leave();
        await page.getByRole("dialog").waitFor({ state: "detached" });
        await page.locator("button:focus", { hasText: name }).waitFor();
      }
    });
  });

  test("Ctrl+K opens the palette from an open menu, also where an item begins with K", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "");
      await page.evaluate(MAKE_KITES);
      await open(page, "");
      await page.locator(".project-button").click();
      await page.getByRole("menuitemradio", { name: "Kites" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Search pages and actions" }).waitFor();
    });
  });

  test("keys do not change the page below a dialog that is still loading, and Escape gives it up", async () => {
    await site.withPage({}, async (page) => {
      const held = Promise.withResolvers<void>();
      await page.route("**/assets/help-*.js", async (route) => {
        await held.promise;
        return route.continue();
      });
      await open(page, "");
      const asked = page.waitForRequest("**/assets/help-*.js");
      await page.keyboard.press("?");
      await asked;
      await page.keyboard.press("2");
      await page.keyboard.press("Escape");
      held.resolve();
      await page.keyboard.press("3");
      await page.waitForURL("**/app/activity*");
      await page.evaluate(TWO_FRAMES);
      assert.equal(await page.getByRole("dialog").count(), 0);
      await page.goBack();
      assert.equal(new URL(page.url()).pathname, "/app");
    });
  });

  test("a country typed by its name is added only when the names are there", async () => {
    await site.withPage({}, async (page) => {
      const held = Promise.withResolvers<void>();
      await page.route("**/v0/distinct_values?*", async (route) => {
        await held.promise;
        return route.continue();
      });
      await open(page, "");
      await page.getByRole("button", { name: "Add a filter" }).click();
      const form = page.getByRole("dialog", { name: "Filter" });
      const add = form.getByRole("button", { name: "Add filter" });
      await form.getByLabel("Field").selectOption("device");
      await form.getByLabel("Value").fill("Desktop");
      assert.ok(await add.isDisabled());
      held.resolve();
      await add.click();
      await page.waitForURL(/f=device\.eq\.desktop/);
    });
  });
});
