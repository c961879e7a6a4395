/** What the page of imports shows, and what the API answers. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { momentText } from "../../dashboard/src/format/dates.ts";
import { bytesText, full } from "../../dashboard/src/format/numbers.ts";
import { expectShown, readTable } from "./shown-rows.ts";

interface ImportItem {
  id: string;
  projectId: string;
  fileName: string;
  fileBytes: number;
  receivedBytes: number;
  state: string;
  rows: number;
  events: number;
  refused: number;
  message: string | null;
  isUpload: boolean;
  source: string;
  days: { firstDay: string; lastDay: string } | null;
  createdAt: string;
}

interface ImportPreview {
  rows: number;
  events: number;
  first: readonly { type: string }[];
  refused: readonly { reason: string; rows: number; at: string }[];
}

/** Asks with the page's own session: imports are for people, and no key reads them. */
export async function askAs<T>(page: Page, path: string, body?: object): Promise<T> {
  const request = page.context().request;
  const url = new URL(path, page.url()).href;
  const answer = await (body === undefined ? request.get(url) : request.post(url, { data: body }));
  assert.ok(answer.ok(), `${path}: ${answer.status()} ${await answer.text()}`);
  return ((await answer.json()) as { data: T }).data;
}

export const listImports = (page: Page) => askAs<ImportItem[]>(page, "/api/imports");

const WORDS: Readonly<Record<string, string>> = {
  done: "Imported",
  ready: "Ready to be looked at",
  cancelled: "Stopped",
};

/** The rows of the list, without the actions. */
export async function expectImports(page: Page): Promise<void> {
  await expectShown(
    "the imports",
    async () => (await readTable(page.locator(".import-list .table"))).map((cells) => cells.slice(0, 7)),
    async () =>
      (await listImports(page)).map((item) => [
        item.isUpload ? item.fileName : `${item.fileName}by the command, ${item.source}`,
        item.fileBytes === 0 ? "–" : bytesText(item.fileBytes),
        item.state === "failed" ? `Failed${item.message}` : (WORDS[item.state] ?? item.state),
        full(item.rows, "count"),
        item.days === null
          ? `${full(item.events, "count")}${item.source === "wallets" ? " wallets" : ""}`
          : `days ${item.days.firstDay} to ${item.days.lastDay}`,
        item.refused === 0 ? "0" : `${full(item.refused, "count")} refused rows of ${item.fileName}`,
        momentText(Date.parse(item.createdAt)),
      ]),
  );
}

/** The sentence and the reasons of a preview. */
export async function expectPreview(page: Page, id: string, reading: object): Promise<ImportPreview> {
  const preview = await askAs<ImportPreview>(page, `/api/imports/${id}/preview`, reading);
  const said = page.locator(".import-preview:not(.import-old) [role=status]");
  await said
    .filter({ hasText: `${full(preview.rows, "count")} rows are ${full(preview.events, "count")} events` })
    .waitFor();
  if (preview.refused.length > 0)
    await expectShown(
      "what would be refused",
      () => readTable(page.locator(".import-refused")),
      async () => preview.refused.map(({ rows, at, reason }) => [full(rows, "count"), at, reason]),
    );
  if (preview.first.length > 0)
    assert.deepEqual(
      (await readTable(page.locator(".import-events"))).map((cells) => cells[1]),
      preview.first.map(({ type }) => type),
    );
  return preview;
}
