import type { Static } from "typebox";
import { iso } from "../../accounts/describe.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Scope } from "../../contract/scopes.ts";
import {
  ApiKeyBody,
  ApiKeyCreatedAnswer,
  ApiKeyListAnswer,
  KeyParams,
  KeyRevokedAnswer,
  UnknownWriteKeysAnswer,
  WriteKeyBody,
  WriteKeyCreatedAnswer,
  WriteKeyListAnswer,
} from "../../contract/settings.ts";
import { createKeyText } from "../../control/key-text.ts";
import {
  type ApiKey,
  createApiKey,
  createWriteKey,
  type Key,
  listApiKeys,
  listWriteKeys,
  revokeApiKey,
  revokeWriteKey,
  type WriteKey,
} from "../../control/keys.ts";
import type { Reader } from "../../control/store.ts";
import { findProject } from "../../control/tenants.ts";
import type { UnknownKeys } from "../../http/events/unknown-keys.ts";
import { type Route, type RouteRequest, readRoute, success, writeRoute } from "../../http/route.ts";
import { isId } from "../../lib/ids.ts";
import { readName } from "../read-name.ts";

export const KEY_ROUTE = { tag: "Settings", access: "member", role: "admin" } as const;

export interface KeyNeeds {
  /** The installation's, behind the hashes of new keys. */
  secret: Buffer;
  /** Of this node. */
  unknownKeys: UnknownKeys;
}

export function keyRoutes(needs: KeyNeeds): Route[] {
  return [
    listKeysRoute,
    createKeyRoute(needs),
    revokeRoute({
      path: "/api/settings/keys",
      operationId: "revokeKey",
      what: "an API key",
      id: "key",
      revoke: revokeApiKey,
    }),
    listWriteKeysRoute,
    listUnknownWriteKeysRoute(needs),
    createWriteKeyRoute(needs),
    revokeRoute({
      path: "/api/settings/write-keys",
      operationId: "revokeWriteKey",
      what: "an SDK write key",
      id: "wrk",
      revoke: revokeWriteKey,
    }),
  ];
}

const listKeysRoute = readRoute({
  ...KEY_ROUTE,
  method: "GET",
  path: "/api/settings/keys",
  operationId: "listKeys",
  summary: "List the API keys of the workspace, without their texts",
  answers: { 200: ApiKeyListAnswer },
  handle: async ({ db, key }) => success((await listApiKeys(db, key.workspaceId)).map(viewApiKey)),
});

const createKeyRoute = ({ secret }: KeyNeeds) =>
  writeRoute({
    ...KEY_ROUTE,
    method: "POST",
    path: "/api/settings/keys",
    operationId: "createKey",
    summary: "Create an API key",
    answersSecret: true,
    body: ApiKeyBody,
    answers: { 201: ApiKeyCreatedAnswer },
    handle: async ({ key, parts: { body }, nowMs }, tx) => {
      const text = createKeyText("api");
      const wanted = {
        text,
        name: readName(body.name),
        projectId: await findProjectId(tx, key.workspaceId, body.projectId),
        scopes: body.scopes as Scope[],
        expiresAtMs: readExpiry(body.expiresAt, nowMs),
      };
      const made = viewApiKey(await createApiKey(tx, key.workspaceId, secret, wanted, nowMs));
      const { id, name, scopes } = made;
      return {
        status: 201,
        body: { isSuccess: true, data: { ...made, key: text } },
        audit: { target: id, details: { name, scopes } },
      };
    },
  });

const listWriteKeysRoute = readRoute({
  ...KEY_ROUTE,
  method: "GET",
  path: "/api/settings/write-keys",
  operationId: "listWriteKeys",
  summary: "List the SDK write keys of the workspace, without their texts",
  answers: { 200: WriteKeyListAnswer },
  handle: async ({ db, key }) => success((await listWriteKeys(db, key.workspaceId)).map(viewWriteKey)),
});

const listUnknownWriteKeysRoute = ({ unknownKeys }: KeyNeeds) =>
  readRoute({
    ...KEY_ROUTE,
    method: "GET",
    path: "/api/settings/unknown-write-keys",
    operationId: "listUnknownWriteKeys",
    summary: "Requests of the last 15 minutes with an unknown write key",
    description:
      "They belong to no workspace: those of this node are listed, the newest first, at most 50, by the beginning of the key.",
    answers: { 200: UnknownWriteKeysAnswer },
    handle: async () => {
      const data = unknownKeys.list().map(({ prefix, requests, lastMs }) => ({
        prefix,
        requests,
        lastAt: new Date(lastMs).toISOString(),
      }));
      return success(data);
    },
  });

const createWriteKeyRoute = ({ secret }: KeyNeeds) =>
  writeRoute({
    ...KEY_ROUTE,
    method: "POST",
    path: "/api/settings/write-keys",
    operationId: "createWriteKey",
    summary: "Create an SDK write key",
    answersSecret: true,
    body: WriteKeyBody,
    answers: { 201: WriteKeyCreatedAnswer },
    handle: (request, tx) =>
      createOfProject("write", request, tx, async (wanted) =>
        viewWriteKey(await createWriteKey(tx, request.key.workspaceId, secret, wanted, request.nowMs)),
      ),
  });

/** Makes a key of one project, which is shown once. */
export async function createOfProject<View extends { id: string; name: string }>(
  kind: Parameters<typeof createKeyText>[0],
  { key, parts: { body }, nowMs }: RouteRequest<unknown, unknown, Static<typeof WriteKeyBody>>,
  tx: Reader,
  create: (wanted: { text: string; name: string; projectId: string; expiresAtMs: number | null }) => Promise<View>,
) {
  const text = createKeyText(kind);
  const projectId = (await findProjectId(tx, key.workspaceId, body.projectId)) ?? "";
  const wanted = { text, name: readName(body.name), projectId, expiresAtMs: readExpiry(body.expiresAt, nowMs) };
  const made = await create(wanted);
  return {
    status: 201 as const,
    body: { isSuccess: true as const, data: { ...made, key: text } },
    audit: { target: made.id, details: { name: made.name, projectId } },
  };
}

interface Revoked {
  readonly path: string;
  readonly operationId: string;
  readonly what: string;
  /** The prefix of its ids. */
  readonly id: Parameters<typeof isId>[0];
  readonly revoke: typeof revokeApiKey;
}

export function revokeRoute({ path, operationId, what, id, revoke }: Revoked): Route {
  return writeRoute({
    ...KEY_ROUTE,
    method: "DELETE",
    path: `${path}/:keyId`,
    operationId,
    summary: `Revoke ${what}`,
    description: "It stops working within a second on every node. This cannot be undone.",
    params: KeyParams,
    answers: { 200: KeyRevokedAnswer },
    handle: async ({ key, parts: { params }, nowMs }, tx) => {
      if (!isId(id, params.keyId) || !(await revoke(tx, key.workspaceId, params.keyId, nowMs))) throw noKey();
      return success({ id: params.keyId, revokedAt: iso(nowMs) });
    },
  });
}

export function viewKey(key: Key) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    createdAt: iso(key.createdAtMs),
    expiresAt: isoOrNull(key.expiresAtMs),
    revokedAt: isoOrNull(key.revokedAtMs),
  };
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}

function viewApiKey(key: ApiKey) {
  return { ...viewKey(key), projectId: key.projectId, scopes: [...key.scopes] };
}

function viewWriteKey(key: WriteKey) {
  return { ...viewKey(key), projectId: key.projectId };
}

async function findProjectId(db: Reader, workspaceId: string, projectId: string | undefined): Promise<string | null> {
  if (projectId === undefined) return null;
  if ((await findProject(db, workspaceId, projectId)) !== undefined) return projectId;
  throw new ApiError("NOT_FOUND", "There is no such project", { param: "body.projectId" });
}

const LATEST_EXPIRY_MS = Date.UTC(2101, 0, 1);

function readExpiry(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  if (at > nowMs && at < LATEST_EXPIRY_MS) return at;
  throw new ApiError("BAD_REQUEST", "expiresAt must lie in the future, before the year 2101", {
    param: "body.expiresAt",
  });
}

function noKey(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such key, or it is revoked already");
}
