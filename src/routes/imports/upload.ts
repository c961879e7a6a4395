import type { Readable } from "node:stream";
import { ApiError } from "../../contract/errors.ts";
import { IMPORT_LIMITS } from "../../contract/import-limits.ts";
import { ImportAnswer, ImportParams, ImportPartQuery, NewImportBody } from "../../contract/imports.ts";
import { lockWorkspace } from "../../control/lock-rows.ts";
import { pickProject } from "../../control/report-projects.ts";
import type { Tx } from "../../control/store.ts";
import { type Route, success, writeRoute } from "../../http/route.ts";
import { PartsMissing, PartTooLarge, type UploadFiles } from "../../imports/upload-files.ts";
import { createUpload, measureUploads, recordPart, type Upload } from "../../imports/uploads.ts";
import { getUpload, viewUpload } from "./get-import.ts";

interface UploadNeeds {
  uploadFiles: UploadFiles;
}

const IMPORTS = { tag: "Imports", access: "member" } as const;

/** Sending a file: its size first, then its parts one after the other, each durable when it is answered. */
export function uploadRoutes({ uploadFiles }: UploadNeeds): Route[] {
  return [createRoute(uploadFiles), partRoute(uploadFiles)];
}

const createRoute = (files: UploadFiles) =>
  writeRoute({
    ...IMPORTS,
    method: "POST",
    path: "/api/imports",
    operationId: "createImport",
    summary: "Begin to send a file",
    description: `The size of the file is taken off what the workspace may keep (\`SEXTANT_IMPORT_MAX_GB\`). A file that nobody goes on with is removed after ${IMPORT_LIMITS.idleDays} days.`,
    body: NewImportBody,
    answers: { 201: ImportAnswer },
    async prepare({ parts: { body } }) {
      if (files.maxBytes === 0)
        throw new ApiError("FORBIDDEN", "Files are imported by the command `sextant import` alone here");
      await expectRoom(files, body.fileBytes);
    },
    async handle({ key, parts: { body }, nowMs }, tx) {
      const { id: projectId } = await pickProject(tx, key, body.project_id, "body.project_id");
      await expectShare(tx, key.workspaceId, files.maxBytes, body.fileBytes);
      const { fileName, fileBytes } = body;
      const upload = await createUpload(tx, key.workspaceId, { projectId, fileName, fileBytes }, nowMs);
      return success(viewUpload(upload), 201);
    },
  });

async function expectRoom(files: UploadFiles, bytes: number): Promise<void> {
  if (await files.hasRoom(bytes)) return;
  throw new ApiError("SERVICE_UNAVAILABLE", "The disk of the service has no room for the file");
}

async function expectShare(tx: Tx, workspaceId: string, maxBytes: number, fileBytes: number): Promise<void> {
  await lockWorkspace(tx, workspaceId);
  const kept = await measureUploads(tx, workspaceId);
  if (kept.files >= IMPORT_LIMITS.openUploads)
    throw new ApiError(
      "CONFLICT",
      `The workspace has ${kept.files} files that are not imported yet: delete some first`,
    );
  if (kept.bytes + fileBytes <= maxBytes) return;
  const gigabytes = (bytes: number) => `${Math.ceil(bytes / 1e8) / 10} GB`;
  const left = gigabytes(Math.max(0, maxBytes - kept.bytes));
  throw new ApiError(
    "CONFLICT",
    `The file has ${gigabytes(fileBytes)}, and the workspace has room for ${left}: delete other files, or use the command \`sextant import\``,
    { param: "body.fileBytes" },
  );
}

const partRoute = (files: UploadFiles) => {
  /** Two parts at once would write over each other. */
  const receiving = new Set<string>();
  const sizes = new WeakMap<object, number>();

  async function receive(upload: Upload, offset: number, body: Readable): Promise<number> {
    const { id, fileBytes } = upload;
    if (receiving.has(id)) throw new ApiError("CONFLICT", "Another part of the file is on its way");
    receiving.add(id);
    try {
      const most = Math.min(fileBytes - offset, IMPORT_LIMITS.partBytes);
      await expectRoom(files, most);
      return await files.writePart(upload, body, { from: offset, most });
    } catch (cause) {
      if (cause instanceof PartTooLarge)
        throw new ApiError("BAD_REQUEST", "The part is larger than 4 MiB, or goes beyond the end of the file", {
          status: 413,
        });
      if (cause instanceof PartsMissing)
        throw new ApiError(
          "CONFLICT",
          "The parts before this one are not on this machine. Nodes need a common SEXTANT_IMPORT_DIR. Delete the file and send it again.",
          { cause },
        );
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "ENOSPC" || code === "EDQUOT") {
        throw new ApiError("SERVICE_UNAVAILABLE", "The disk of the service is full", { cause });
      }
      throw cause;
    } finally {
      receiving.delete(id);
    }
  }

  return writeRoute({
    ...IMPORTS,
    method: "PUT",
    path: "/api/imports/:importId/file",
    operationId: "sendImportPart",
    summary: "Send the next part of a file",
    description: `At most ${IMPORT_LIMITS.partBytes / 1024 ** 2} MiB. After a failure, read the import: \`receivedBytes\` says where to go on.`,
    params: ImportParams,
    query: ImportPartQuery,
    takesFile: true,
    answers: { 200: ImportAnswer },
    async prepare({ key, db, parts }) {
      const { params, query } = parts;
      const upload = await getUpload(db, key.workspaceId, params.importId);
      expectNext(upload, query.offset);
      if (parts.body === undefined) throw new ApiError("BAD_REQUEST", "The part has no body");
      sizes.set(parts, await receive(upload, query.offset, parts.body as Readable));
    },
    async handle({ key, parts, nowMs }, tx) {
      const { offset: from } = parts.query;
      const to = from + (sizes.get(parts) ?? 0);
      if (!(await recordPart(tx, key.workspaceId, parts.params.importId, { from, to, nowMs })))
        throw new ApiError("CONFLICT", "Another part of the file came first");
      const upload = await getUpload(tx, key.workspaceId, parts.params.importId);
      // Twenty-five thousand parts of a file are one deed: its beginning is in the audit log.
      return { ...success(viewUpload(upload)), isUnaudited: true };
    },
  });
};

function expectNext({ receivedBytes, fileBytes }: Upload, offset: number): void {
  if (receivedBytes === fileBytes) throw new ApiError("CONFLICT", "The file is complete");
  if (offset !== receivedBytes)
    throw new ApiError("CONFLICT", `The next part begins at byte ${receivedBytes}`, { param: "query.offset" });
}
