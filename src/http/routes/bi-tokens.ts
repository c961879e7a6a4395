import { iso } from "../../accounts/describe.ts";
import {
  BiTokenCreatedAnswer,
  BiTokenListAnswer,
  KeyParams,
  KeyRevokedAnswer,
  WriteKeyBody,
} from "../../contract/settings.ts";
import { type BiToken, createBiToken, listBiTokens, revokeBiToken } from "../../control/bi-tokens.ts";
import { createKeyText } from "../../control/key-text.ts";
import { isId } from "../../lib/ids.ts";
import { type Route, readRoute, writeRoute } from "../route.ts";
import { findProjectId, isoOrNull, KEY_ROUTE, noKey, readExpiry, viewKey } from "./keys.ts";
import { readName } from "./projects.ts";

const PATH = "/api/settings/bi-tokens";

export function biTokenRoutes(): Route[] {
  return [
    readRoute({
      ...KEY_ROUTE,
      method: "GET",
      path: PATH,
      operationId: "listBiTokens",
      summary: "List the BI tokens of the workspace, without their texts",
      answers: { 200: BiTokenListAnswer },
      handle: async ({ db, key }) => ({
        status: 200,
        body: { isSuccess: true, data: (await listBiTokens(db, key.workspaceId)).map(viewBiToken) },
      }),
    }),
    writeRoute({
      ...KEY_ROUTE,
      method: "POST",
      path: PATH,
      operationId: "createBiToken",
      summary: "Create a BI token",
      description: "The password with which a BI tool reads one project at /clickhouse.",
      answersSecret: true,
      body: WriteKeyBody,
      answers: { 201: BiTokenCreatedAnswer },
      handle: async ({ key, body, nowMs, secret }, tx) => {
        const text = createKeyText("bi");
        const projectId = (await findProjectId(tx, key.workspaceId, body.projectId)) ?? "";
        const wanted = { text, name: readName(body.name), projectId, expiresAtMs: readExpiry(body.expiresAt, nowMs) };
        const made = viewBiToken(await createBiToken(tx, key.workspaceId, secret, wanted, nowMs));
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
      path: `${PATH}/:keyId`,
      operationId: "revokeBiToken",
      summary: "Revoke a BI token",
      description: "It stops working within a second on every node. This cannot be undone.",
      params: KeyParams,
      answers: { 200: KeyRevokedAnswer },
      handle: async ({ key, params, nowMs }, tx) => {
        if (!isId("bit", params.keyId) || !(await revokeBiToken(tx, key.workspaceId, params.keyId, nowMs)))
          throw noKey();
        return { status: 200, body: { isSuccess: true, data: { id: params.keyId, revokedAt: iso(nowMs) } } };
      },
    }),
  ];
}

function viewBiToken(token: BiToken) {
  return { ...viewKey(token), projectId: token.projectId, lastUsedAt: isoOrNull(token.lastUsedAtMs) };
}
