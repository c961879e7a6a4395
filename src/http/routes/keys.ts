import { iso } from "../../accounts/describe.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Scope } from "../../contract/scopes.ts";
import {
  ApiKeyBody,
  ApiKeyCreatedAnswer,
  ApiKeyListAnswer,
  KeyParams,
  KeyRevokedAnswer,
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
import { isId } from "../../lib/ids.ts";
import { type Route, readRoute, writeRoute } from "../route.ts";
import { readName } from "./projects.ts";

export const KEY_ROUTE = { tag: "Settings", access: "member", role: "admin" } as const;

export function keyRoutes(): Route[] {
  return [...apiKeyRoutes(), ...writeKeyRoutes()];
}

function apiKeyRoutes(): Route[] {
  return [
    readRoute({
      ...KEY_ROUTE,
      method: "GET",
      path: "/api/settings/keys",
      operationId: "listKeys",
      summary: "List the API keys of the workspace, without their texts",
      answers: { 200: ApiKeyListAnswer },
      handle: async ({ db, key }) => ({
        status: 200,
        body: { isSuccess: true, data: (await listApiKeys(db, key.workspaceId)).map(viewApiKey) },
      }),
    }),
    writeRoute({
      ...KEY_ROUTE,
      method: "POST",
      path: "/api/settings/keys",
      operationId: "createKey",
      summary: "Create an API key",
      answersSecret: true,
      body: ApiKeyBody,
      answers: { 201: ApiKeyCreatedAnswer },
      handle: async ({ key, body, nowMs, secret }, tx) => {
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
    }),
    writeRoute({
      ...KEY_ROUTE,
      method: "DELETE",
      path: "/api/settings/keys/:keyId",
      operationId: "revokeKey",
      summary: "Revoke an API key",
      description: "It stops working within a second on every node. This cannot be undone.",
      params: KeyParams,
      answers: { 200: KeyRevokedAnswer },
      handle: async ({ key, params, nowMs }, tx) => {
        if (!isId("key", params.keyId) || !(await revokeApiKey(tx, key.workspaceId, params.keyId, nowMs)))
          throw noKey();
        return { status: 200, body: { isSuccess: true, data: { id: params.keyId, revokedAt: iso(nowMs) } } };
      },
    }),
  ];
}

function writeKeyRoutes(): Route[] {
  return [
    readRoute({
      ...KEY_ROUTE,
      method: "GET",
      path: "/api/settings/write-keys",
      operationId: "listWriteKeys",
      summary: "List the SDK write keys of the workspace, without their texts",
      answers: { 200: WriteKeyListAnswer },
      handle: async ({ db, key }) => ({
        status: 200,
        body: { isSuccess: true, data: (await listWriteKeys(db, key.workspaceId)).map(viewWriteKey) },
      }),
    }),
    writeRoute({
      ...KEY_ROUTE,
      method: "POST",
      path: "/api/settings/write-keys",
      operationId: "createWriteKey",
      summary: "Create an SDK write key",
      answersSecret: true,
      body: WriteKeyBody,
      answers: { 201: WriteKeyCreatedAnswer },
      handle: async ({ key, body, nowMs, secret }, tx) => {
        const text = createKeyText("write");
        const projectId = (await findProjectId(tx, key.workspaceId, body.projectId)) ?? "";
        const wanted = { text, name: readName(body.name), projectId, expiresAtMs: readExpiry(body.expiresAt, nowMs) };
        const made = viewWriteKey(await createWriteKey(tx, key.workspaceId, secret, wanted, nowMs));
        const { id, name } = made;
        return {
          status: 201,
          body: { isSuccess: true, data: { ...made, key: text } },
          audit: { target: id, details: { name, projectId } },
        };
      },
    }),
    writeRoute({
      ...KEY_ROUTE,
      method: "DELETE",
      path: "/api/settings/write-keys/:keyId",
      operationId: "revokeWriteKey",
      summary: "Revoke an SDK write key",
      description: "It stops working within a second on every node. This cannot be undone.",
      params: KeyParams,
      answers: { 200: KeyRevokedAnswer },
      handle: async ({ key, params, nowMs }, tx) => {
        if (!isId("wrk", params.keyId) || !(await revokeWriteKey(tx, key.workspaceId, params.keyId, nowMs)))
          throw noKey();
        return { status: 200, body: { isSuccess: true, data: { id: params.keyId, revokedAt: iso(nowMs) } } };
      },
    }),
  ];
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

export async function findProjectId(
  db: Reader,
  workspaceId: string,
  projectId: string | undefined,
): Promise<string | null> {
  if (projectId === undefined) return null;
  if ((await findProject(db, workspaceId, projectId)) !== undefined) return projectId;
  throw new ApiError("NOT_FOUND", "There is no such project", { param: "body.projectId" });
}

const LATEST_EXPIRY_MS = Date.UTC(2101, 0, 1);

export function readExpiry(text: string | undefined, nowMs: number): number | null {
  if (text === undefined) return null;
  const at = Date.parse(text);
  if (at > nowMs && at < LATEST_EXPIRY_MS) return at;
  throw new ApiError("BAD_REQUEST", "expiresAt must lie in the future, before the year 2101", {
    param: "body.expiresAt",
  });
}

export function noKey(): ApiError {
  return new ApiError("NOT_FOUND", "There is no such key, or it is revoked already");
}
