/** Dialogs, menus and forms on a slow line and a busy page, in a real Chromium. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page, Request } from "playwright-core";
import { sampleEvent } from "../support/events.ts";
import { waitFor } from "../support/wait.ts";
import { callApi, makeBoard, openBoard } from "./board-site.ts";
import { type DashboardService, startDashboard, visits } from "./dashboard-service.ts";
import { settle, TWO_FRAMES } from "./settle.ts";

/** Long enough for the second click to be there before the page is done with the first. */
const BUSY_AT_CLICK = `addEventListener("click", () => {
  const until = performance.now() + 500;
  while (performance.now() < until);
}, true)`;

/** Its id. */
const makeProject = (name: string) => `fetch("/api/settings/projects", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"name":"${name}"}',
}).then((answer) => answer.json()).then(({ data }) => data.id)`;

/** An answer that was let go before it has had its effect, also on the address. */
const LATER = `fetch("app").then((answer) => answer.text()).then(() => ${TWO_FRAMES})`;

/** Lets nothing of this method through to a path before it is told to. */
async function hold(page: Page, method: string, path: string) {
  const held = Promise.withResolvers<void>();
  const requests: Request[] = [];
  const isHeld = (request: Request) => request.method() === method && new URL(request.url()).pathname === path;
  await page.route(`**${path}*`, async (route) => {
    if (isHeld(route.request())) {
      requests.push(route.request());
      await held.promise;
    }
    return route.continue();
  });
  return {
    asked: (count = 1) => waitFor(`${method} ${path}`, () => requests.length === count),
    async release() {
      held.resolve();
      for (const request of requests) await (await request.response())?.finished();
      await page.evaluate(LATER);
      // What is read after it, and what that leads to.
      await settle(page);
    },
  };
}

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
      const deletion = await hold(page, "DELETE", `/v0/boards/${gone}`);
      await page.locator(".board-tools [aria-haspopup=menu]").click();
      await page.getByRole("menuitem", { name: "Delete the board" }).click();
      await page.getByRole("button", { name: "Delete the board", exact: true }).click();
      await deletion.asked();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Boards", exact: true }).first().click();
      await page
        .getByRole("button", { name: /^Other\b/ })
        .first()
        .click();
      await page.getByRole("heading", { name: "Other", level: 1 }).waitFor();
      await deletion.release();
      assert.equal(new URL(page.url()).searchParams.get("board"), other);
      assert.ok(await page.getByRole("heading", { name: "Other", level: 1 }).isVisible());
    });
  });

  for (const { what, from, isBoardless = false, path, make } of [
    {
      what: "a project",
      from: "",
      path: "/api/settings/projects",
      async make(page: Page) {
        await page.locator(".project-button").click();
        await page.getByRole("menuitem", { name: "New project" }).click();
        await page.getByRole("dialog").getByLabel("Name").fill("Made late");
        await page.getByRole("button", { name: "Make it" }).click();
      },
    },
    {
      what: "a segment",
      from: "?f=device.eq.desktop",
      path: "/v0/segments",
      async make(page: Page) {
        await page.getByRole("button", { name: "Segments" }).click();
        await page.getByRole("menuitem", { name: "Save filters as a segment" }).click();
        await page.getByRole("dialog").getByLabel("Title").fill("Made late");
        await page.getByRole("button", { name: "Save the segment" }).click();
      },
    },
    {
      what: "a board",
      from: "/boards",
      path: "/v0/boards",
      async make(page: Page) {
        await page.getByRole("button", { name: "New board" }).click();
        await page.getByRole("dialog").getByLabel("Name").fill("Made late");
        await page.getByRole("button", { name: "Make the board" }).click();
      },
    },
    {
      what: "a board from a template",
      from: "/boards",
      isBoardless: true,
      path: "/v0/boards",
      async make(page: Page) {
        await page.getByRole("button", { name: "Use Growth" }).click();
      },
    },
    {
      what: "a form",
      from: "/forms?form=new",
      path: "/api/forms",
      async make(page: Page) {
        await page.getByLabel("Title").fill("Made late");
        await page.getByRole("button", { name: "Make the form" }).click();
      },
    },
  ]) {
    test(`the answer to the making of ${what} leaves the page that was opened meanwhile`, async () => {
      await makeBoard(site, "There is one");
      await site.withPage({}, async (page) => {
        await open(page, "");
        const boardless = isBoardless ? `?project=${await page.evaluate<string>(makeProject("Boardless"))}` : "";
        await open(page, `${from}${boardless}`);
        const making = await hold(page, "POST", path);
        await make(page);
        await making.asked();
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
        await page.getByRole("link", { name: "Activity", exact: true }).first().click();
        await page.getByRole("heading", { name: "Activity", level: 1 }).waitFor();
        const before = page.url();
        await making.release();
        assert.equal(page.url(), before);
        assert.equal(await page.getByRole("dialog").count(), 0);
      });
    });
  }

  test("keys whose dialogs were left are shown all the same, one after another, and leave the form that is open", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "/settings?tab=keys");
      const making = await hold(page, "POST", "/api/settings/keys");
      const form = page.getByRole("dialog", { name: "New API key" });
      const openForm = async (name: string) => {
        await page.getByRole("button", { name: "New API key" }).click();
        await form.getByLabel("Name").fill(name);
      };
      for (const name of ["First", "Second"]) {
        await openForm(name);
        await form.getByRole("button", { name: "Make it" }).click();
        await page.keyboard.press("Escape");
        await form.waitFor({ state: "detached" });
      }
      await making.asked(2);
      await openForm("Third");
      await making.release();
      const shown = page.locator("dialog pre.code");
      const first = await shown.textContent();
      await page.keyboard.press("Escape");
      const isOther = `document.querySelector("dialog pre.code")?.textContent !== ${JSON.stringify(first)}`;
      await page.waitForFunction(isOther);
      await shown.waitFor();
      await page.keyboard.press("Escape");
      await shown.waitFor({ state: "detached" });
      assert.equal(await form.getByLabel("Name").inputValue(), "Third");
    });
  });

  test("a double click closes one of two keys that came at once", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "/settings?tab=keys");
      const making = await hold(page, "POST", "/api/settings/keys");
      const form = page.getByRole("dialog", { name: "New API key" });
      for (const name of ["Fourth", "Fifth"]) {
        await page.getByRole("button", { name: "New API key" }).click();
        await form.getByLabel("Name").fill(name);
        await form.getByRole("button", { name: "Make it" }).click();
        await page.keyboard.press("Escape");
        await form.waitFor({ state: "detached" });
      }
      await making.asked(2);
      await making.release();
      const shown = page.locator("dialog pre.code");
      const first = await shown.textContent();
      assert.equal(await page.evaluate("document.activeElement.tagName"), "PRE", "a second Enter closes nothing");
      await page.getByRole("button", { name: "Close" }).dblclick();
      await settle(page);
      assert.notEqual(await shown.textContent(), first);
      await page.getByRole("button", { name: "Close" }).click();
      await shown.waitFor({ state: "detached" });
    });
  });

  test("what is typed in a form stays when the form is changed elsewhere, which is said", async () => {
    const fields = [{ label: "Name", type: "short_text" }];
    const { data } = await callApi<{ data: { id: string } }>(site, "POST", "/api/forms", { title: "Beta", fields });
    const rename = (title: string) => callApi(site, "PUT", `/api/forms/${data.id}`, { title, fields });
    await site.withPage({}, async (page) => {
      await open(page, `/forms?form=${data.id}&tab=edit`);
      const title = page.getByLabel("Title");
      const heading = page.getByRole("heading", { level: 1 });
      const comeBack = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      const note = page.getByText("has been changed since you began");

      // Nothing is typed: the newest state is shown.
      await rename("Gamma");
      await comeBack();
      await heading.filter({ hasText: "Gamma" }).waitFor();
      assert.equal(await title.inputValue(), "Gamma");
      assert.equal(await note.count(), 0);

      await title.fill("Mine");
      await rename("Delta");
      await comeBack();
      await note.waitFor();
      assert.equal(await heading.textContent(), "Delta");
      assert.equal(await title.inputValue(), "Mine");
      await page.getByRole("button", { name: "Begin again from the changed form" }).click();
      assert.equal(await title.inputValue(), "Delta");
      assert.equal(await page.evaluate("document.activeElement.value"), "Delta", "it has the focus");
      assert.equal(await note.count(), 0);

      await title.fill("Mine after all");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await heading.filter({ hasText: "Mine after all" }).waitFor();
      await title.waitFor({ state: "detached" });
      assert.equal(await note.count(), 0);
    });
  });

  test("the answer to a segment that was saved leaves the form that is open again", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "/wallets?where=location.eq.US");
      const saving = await hold(page, "POST", "/v0/segments");
      const form = page.getByRole("dialog", { name: "Save the conditions as a segment" });
      const openForm = async (title: string) => {
        await page.getByRole("button", { name: "Save as segment" }).click();
        await form.getByLabel("Title").fill(title);
      };
      await openForm("First");
      await form.getByRole("button", { name: "Save the segment" }).click();
      await saving.asked();
      await page.keyboard.press("Escape");
      await form.waitFor({ state: "detached" });
      await openForm("Second");
      await saving.release();
      assert.equal(await form.getByLabel("Title").inputValue(), "Second");
    });
  });

  test("the answer to a replay leaves the dialog of another parked event", async () => {
    await site.send([sampleEvent("fine"), { type: "no such type" }, { type: "no such type either" }]);
    await site.withPage({}, async (page) => {
      await open(page, "/system");
      const details = page.getByLabel("Parked events").getByRole("button", { name: "Details" });
      const dialog = page.getByRole("dialog", { name: "Parked event" });
      const replay = await hold(page, "POST", "/api/parked/replay");
      await details.first().click();
      await dialog.getByRole("button", { name: "Replay it" }).click();
      await replay.asked();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await details.last().click();
      await dialog.waitFor();
      await replay.release();
      await page.getByText(/1 still invalid/).waitFor();
      assert.ok(await dialog.isVisible());
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
      await page.evaluate(makeProject("Kites"));
      await open(page, "");
      await page.locator(".project-button").click();
      await page.getByRole("menuitemradio", { name: "Kites" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Search pages and actions" }).waitFor();
    });
  });

  test("Ctrl+K opens the palette from the form of a filter", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "");
      const palette = page.getByRole("dialog", { name: "Search pages and actions" });
      // Loaded before, so that it takes the focus at once.
      await page.keyboard.press("Control+k");
      await palette.waitFor();
      await page.keyboard.press("Escape");
      await palette.waitFor({ state: "detached" });
      await page.keyboard.press("/");
      await page.locator(".filter-form select:focus").waitFor();
      await page.keyboard.press("Control+k");
      await palette.waitFor();
      await page.evaluate(TWO_FRAMES);
      assert.ok(await palette.isVisible());
      assert.equal(await page.locator(".filter-form").count(), 0);
    });
  });

  test("keys open pages after a way back from the form of a filter", async () => {
    await site.withPage({}, async (page) => {
      await open(page, "/settings");
      await page.keyboard.press("1");
      await page.waitForURL(/\/app(\?|$)/);
      await settle(page);
      await page.keyboard.press("/");
      await page.locator(".filter-form select:focus").waitFor();
      await page.goBack();
      await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
      await page.keyboard.press("3");
      await page.waitForURL("**/app/activity*");
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

  for (const { ops, isTaken = false, isLate = false } of [
    { ops: ["eq"] },
    { ops: ["in"] },
    { ops: ["in"], isTaken: true },
    { ops: ["eq", "in"] },
    { ops: ["in", "neq"] },
    { ops: ["contains", "eq"], isLate: true },
    { ops: ["eq", "contains", "in"], isLate: true },
  ]) {
    const how = `${ops.join(", then ")}${isTaken ? ", Enter" : ""}${isLate ? ", at last where they are" : ""}`;
    test(`a value typed by its name is added only when the names are there: ${how}`, () =>
      typeName(ops, isTaken, isLate));
  }

  async function typeName(ops: readonly string[], isTaken: boolean, isLate: boolean): Promise<void> {
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
      const condition = form.getByLabel("Condition");
      await condition.selectOption(ops[0] ?? "");
      await form.getByLabel("Value").fill("Desktop");
      if (isTaken) await page.keyboard.press("Enter");
      for (const op of ops.slice(1, -1)) await condition.selectOption(op);
      if (isLate) {
        const found = page.waitForResponse("**/v0/distinct_values?*");
        held.resolve();
        await found;
        await page.evaluate(LATER);
      }
      if (ops.length > 1) await condition.selectOption(ops.at(-1) ?? "");
      if (!isLate) assert.ok(await add.isDisabled());
      held.resolve();
      await add.click();
      await page.waitForURL(new RegExp(`f=device\\.${ops.at(-1)}\\.desktop`));
    });
  }
});
