import { BiTokenCreatedAnswer, BiTokenListAnswer, WriteKeyBody } from "../../contract/settings.ts";
import { type BiToken, createBiToken, listBiTokens, revokeBiToken } from "../../control/bi-tokens.ts";
import { type Route, readRoute, success, writeRoute } from "../../http/route.ts";
import { createOfProject, isoOrNull, KEY_ROUTE, type KeyNeeds, revokeRoute, viewKey } from "./keys.ts";

const PATH = "/api/settings/bi-tokens";

export function biTokenRoutes({ secret }: Pick<KeyNeeds, "secret">): Route[] {
  return [
    readRoute({
      ...KEY_ROUTE,
      method: "GET",
      path: PATH,
      operationId: "listBiTokens",
      summary: "List the BI tokens of the workspace, without their texts",
      answers: { 200: BiTokenListAnswer },
      handle: async ({ db, key }) => success((await listBiTokens(db, key.workspaceId)).map(viewBiToken)),
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
      handle: (request, tx) =>
        createOfProject("bi", request, tx, async (wanted) =>
          viewBiToken(await createBiToken(tx, request.key.workspaceId, secret, wanted, request.nowMs)),
        ),
    }),
    revokeRoute({ path: PATH, operationId: "revokeBiToken", what: "a BI token", id: "bit", revoke: revokeBiToken }),
  ];
}

function viewBiToken(token: BiToken) {
  return { ...viewKey(token), projectId: token.projectId, lastUsedAt: isoOrNull(token.lastUsedAtMs) };
}
