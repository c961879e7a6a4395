import { once } from "node:events";
import { createReadStream } from "node:fs";
import { ApiError } from "../../contract/errors.ts";
import { IMPORT_LIMITS } from "../../contract/import-limits.ts";
import {
  ImportAnswer,
  ImportedDaysAnswer,
  ImportedDaysQuery,
  ImportListAnswer,
  ImportListQuery,
  ImportParams,
  ImportPreviewAnswer,
  ImportReadingBody,
} from "../../contract/imports.ts";
import { getReportOwner } from "../../control/report-projects.ts";
import { cancelTask } from "../../control/tasks.ts";
import { type Route, readRoute, success, writeRoute } from "../../http/route.ts";
import type { Mapping } from "../../imports/from/generic.ts";
import { listImports } from "../../imports/imports-table.ts";
import type { UploadFiles } from "../../imports/upload-files.ts";
import type { UploadSource } from "../../imports/upload-sources.ts";
import { listUploads, startUpload, type Upload } from "../../imports/uploads.ts";
import type { RunLookup } from "../../query/run/run-lookup.ts";
import { firstOwnDay, importedDays } from "../../query/values/imported-days.ts";
import { findCommandImport, getUpload, viewImport, viewUpload } from "./get-import.ts";
import { createPreviews, type PreviewUpload } from "./preview-upload.ts";
import { type Reading, readReading } from "./read-reading.ts";

interface ImportNeeds {
  uploadFiles: UploadFiles;
  runLookup: RunLookup;
}

const IMPORTS = { tag: "Imports", access: "member" } as const;

/** Files of history of other products: looked at, started and watched. */
export function importRoutes({ uploadFiles, runLookup }: ImportNeeds): Route[] {
  const preview = createPreviews();
  return [
    listRoute,
    getRoute,
    previewRoute(uploadFiles, runLookup, preview),
    startRoute(uploadFiles, preview),
    cancelRoute,
    refusedRoute(uploadFiles),
    daysRoute(runLookup),
  ];
}

const listRoute = readRoute({
  ...IMPORTS,
  method: "GET",
  path: "/api/imports",
  operationId: "listImports",
  summary: "List imports, and how far they are",
  description: `The newest ${IMPORT_LIMITS.listed}: of files that were sent, and of those that the command \`sextant import\` has read.`,
  query: ImportListQuery,
  answers: { 200: ImportListAnswer },
  async handle({ key, db, parts: { query }, nowMs }) {
    const asked = { projectId: query.project_id, limit: IMPORT_LIMITS.listed };
    const uploads = (await listUploads(db, key.workspaceId, asked)).map(viewUpload);
    const others = await listImports(db, key.workspaceId, { ...asked, withoutUploads: true });
    const all = [...uploads, ...others.map((made) => viewImport(made, nowMs))];
    const newest = all.sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1)).slice(0, IMPORT_LIMITS.listed);
    return success(newest);
  },
});

const getRoute = readRoute({
  ...IMPORTS,
  method: "GET",
  path: "/api/imports/:importId",
  operationId: "getImport",
  summary: "An import, and how far it is",
  params: ImportParams,
  answers: { 200: ImportAnswer },
  async handle({ key, db, parts: { params }, nowMs }) {
    const made = await findCommandImport(db, key.workspaceId, params.importId);
    if (made !== undefined) return success(viewImport(made, nowMs));
    return success(viewUpload(await getUpload(db, key.workspaceId, params.importId)));
  },
});

const daysRoute = (runLookup: RunLookup) =>
  readRoute({
    ...IMPORTS,
    method: "GET",
    path: "/api/imports/:importId/days",
    operationId: "listImportedDays",
    summary: "List the days of an import",
    description: "As the other product has counted each, and whether reports count it. Empty for an import of events.",
    params: ImportParams,
    query: ImportedDaysQuery,
    answers: { 200: ImportedDaysAnswer },
    async handle({ key, db, parts: { params, query }, signal, charge }) {
      const made = await findCommandImport(db, key.workspaceId, params.importId);
      const found = made ?? (await getUpload(db, key.workspaceId, params.importId));
      const { projectId, days } = found;
      const importId = "importId" in found ? found.importId : found.id;
      if (days === null || importId === null) return success([]);
      const owner = await getReportOwner(db, key, projectId);
      return success(await runLookup(importedDays({ importId, ...query }), owner, signal, charge));
    },
  });

const previewRoute = (files: UploadFiles, runLookup: RunLookup, preview: PreviewUpload) =>
  readRoute({
    ...IMPORTS,
    method: "POST",
    path: "/api/imports/:importId/preview",
    operationId: "previewImport",
    summary: "What would become of a file",
    description: `Reads up to ${IMPORT_LIMITS.previewRows} rows, and sends nothing: the first events as they would be stored, and which rows would be refused, as far as they come within ${IMPORT_LIMITS.previewMs / 1000} s. 503 when nothing of the file comes within ${IMPORT_LIMITS.previewFirstMs / 1000} s.`,
    role: "editor",
    params: ImportParams,
    body: ImportReadingBody,
    check: ({ body }) => readReading(body),
    answers: { 200: ImportPreviewAnswer },
    async handle({ key, db, parts: { params }, checked, nowMs, signal, charge }) {
      const upload = await getUpload(db, key.workspaceId, params.importId);
      if (upload.state === "receiving") throw new ApiError("BAD_REQUEST", "The file is not complete yet");
      if (upload.state === "done") throw new ApiError("BAD_REQUEST", "The file is imported and was removed");
      const findFirstDay = async () =>
        runLookup(firstOwnDay, await getReportOwner(db, key, upload.projectId), signal, charge);
      const file = { path: files.pathOf(upload), fileName: upload.fileName };
      return success(await preview.look(file, checked, { workspaceId: key.workspaceId, nowMs, signal, findFirstDay }));
    },
  });

const startRoute = (files: UploadFiles, preview: PreviewUpload) => {
  const found = new WeakMap<object, UploadSource>();
  return writeRoute({
    ...IMPORTS,
    method: "POST",
    path: "/api/imports/:importId/start",
    operationId: "startImport",
    summary: "Import a file",
    description:
      "The import goes on after a restart of the service, and no event is imported twice. One that was cancelled or has failed is started again; without a body, in the same way.",
    params: ImportParams,
    body: ImportReadingBody,
    check: ({ body }) => readReading(body),
    answers: { 202: ImportAnswer },
    // Reads the file, so it runs before the transaction.
    async prepare({ key, db, parts, checked, nowMs, signal }) {
      const upload = await getUpload(db, key.workspaceId, parts.params.importId);
      if (upload.state !== "ready" || isSaid(checked)) return;
      const file = { path: files.pathOf(upload), fileName: upload.fileName };
      found.set(parts, await preview.findSource(file, { workspaceId: key.workspaceId, nowMs, signal }));
    },
    async handle({ key, parts, checked, nowMs }, tx) {
      const upload = await getUpload(tx, key.workspaceId, parts.params.importId);
      expectStartable(upload);
      const reading = chooseReading(upload, checked, found.get(parts));
      await startUpload(tx, key.workspaceId, upload, reading, nowMs);
      const started = viewUpload(await getUpload(tx, key.workspaceId, upload.id));
      return { ...success(started, 202), audit: { details: { fileName: upload.fileName, source: reading.source } } };
    },
  });
};

const isSaid = ({ source, mapping }: Reading) =>
  source !== undefined || mapping.columns.size > 0 || mapping.values.size > 0;

/** As asked; without a word as at the last start, or by the content of the file. */
function chooseReading(
  upload: Upload,
  asked: Reading,
  found: UploadSource | undefined,
): { source: UploadSource; mapping: Mapping } {
  if (isSaid(asked)) return { source: asked.source ?? "generic", mapping: asked.mapping };
  const { source, mapping } = upload;
  return source !== null && mapping !== null
    ? { source, mapping }
    : { source: found ?? "generic", mapping: asked.mapping };
}

function expectStartable({ state }: Upload): void {
  if (state === "receiving") throw new ApiError("CONFLICT", "The file is not complete yet");
  if (state === "waiting" || state === "running") throw new ApiError("CONFLICT", "The import runs already");
  if (state === "done") throw new ApiError("CONFLICT", "The file is imported");
}

const cancelRoute = writeRoute({
  ...IMPORTS,
  method: "POST",
  path: "/api/imports/:importId/cancel",
  operationId: "cancelImport",
  summary: "Stop an import",
  description: "Events that were sent stay. A start goes on where it was stopped.",
  params: ImportParams,
  answers: { 200: ImportAnswer },
  async handle({ key, parts: { params }, nowMs }, tx) {
    const { id, taskId, fileName } = await getUpload(tx, key.workspaceId, params.importId);
    if (taskId === null || !(await cancelTask(tx, key.workspaceId, taskId, nowMs)))
      throw new ApiError("CONFLICT", "The import does not run");
    const stopped = viewUpload(await getUpload(tx, key.workspaceId, id));
    return { ...success(stopped), audit: { details: { fileName } } };
  },
});

const refusedRoute = (files: UploadFiles) =>
  readRoute({
    ...IMPORTS,
    method: "GET",
    path: "/api/imports/:importId/refused",
    operationId: "getRefusedRows",
    summary: "The rows that are no events",
    description: `One JSON object in a line: the line of the file, the reason, and the row; of a row of more than 64 KiB its beginning, with \`isCut\`. The first ${IMPORT_LIMITS.refusedBytes / 1024 ** 2} MiB are kept; all refused rows are counted.`,
    role: "editor",
    params: ImportParams,
    // A link has no header for the workspace.
    query: ImportListQuery,
    answers: { 200: "application/x-ndjson" },
    async handle({ key, db, parts: { params } }) {
      const { id, refusedBytes } = await getUpload(db, key.workspaceId, params.importId);
      const headers = { "Content-Disposition": `attachment; filename="${id}.refused.ndjson"` };
      const contentType = "application/x-ndjson";
      if (refusedBytes === 0) return { status: 200, contentType, headers, text: "" };
      // Up to the saved cursor: what is behind it may be written again.
      const stream = createReadStream(files.refusedPathOf(id), { end: refusedBytes - 1 });
      await once(stream, "open").catch((cause: unknown) => {
        throw new ApiError("NOT_FOUND", "The refused rows are not kept any more", { cause });
      });
      return { status: 200, contentType, headers, stream };
    },
  });
