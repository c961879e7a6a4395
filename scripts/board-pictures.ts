/** The pictures of the guides about boards and segments, of the demo's project: `npm run first-minute` takes them. */
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { callApi, openBoard } from "../test/browser/board-site.ts";
import type { DashboardService } from "../test/browser/dashboard-service.ts";
import { settle } from "../test/browser/settle.ts";

const DOCS = resolve(import.meta.dirname, "../docs");
const VIEWPORT = { width: 1280, height: 800 };

export async function takeBoardPictures(site: DashboardService, page: Page): Promise<void> {
  const project_id = await findDemo(site);
  const make = async (path: string, body: object) =>
    callApi<{ id: string; url?: string }>(site, "POST", path, { project_id, ...body });
  const board = await make("/v0/boards", { template: "growth" });
  const here = `&project=${project_id}`;
  await page.setViewportSize(VIEWPORT);
  await openBoard(site, page, board.id, here);
  await take(page, "board.png");

  await openBoard(site, page, board.id, `${here}&edit=new`);
  await page.getByLabel("Title").fill("Devices");
  await page.getByLabel("Rows by").selectOption("device");
  await page.getByRole("radio", { name: "Pie" }).check();
  await page.locator(".editor-preview .pie-list li").first().waitFor();
  await settle(page);
  await take(page, "board-editor.png");

  const segments: string[] = [];
  for (const [title, value] of [
    ["Desktops", "desktop"],
    ["Phones", "mobile"],
  ])
    segments.push((await make("/v0/segments", { title, filters: [{ field: "device", op: "startsWith", value }] })).id);
  await page.goto(`${site.service.apiUrl}/app?project=${project_id}&segments=${segments.join("&segments=")}`);
  await page.locator('section.panel[aria-label="Visitors by segment"] .series-legend').waitFor();
  await settle(page);
  await take(page, "segments.png");

  const link = await callApi<{ url: string }>(site, "POST", `/v0/boards/${board.id}/links`, { days: 28 });
  await page.goto(link.url);
  await page.locator(".board-grid .board-item").first().waitFor();
  await settle(page);
  await take(page, "shared-board.png");
}

async function take(page: Page, name: string): Promise<void> {
  await page.evaluate("scrollTo(0, 0)");
  const path = resolve(DOCS, name);
  await page.screenshot({ path });
  process.stdout.write(`wrote ${path}\n`);
}

/** The other project of the workspace. */
async function findDemo(site: DashboardService): Promise<string> {
  const { data } = await callApi<{ data: { project_id: string }[] }>(site, "GET", "/v0/kpis?interval=all");
  const found = data.find(({ project_id }) => project_id !== site.credentials.projectId);
  if (found === undefined) throw new Error("there is no demo project");
  return found.project_id;
}
