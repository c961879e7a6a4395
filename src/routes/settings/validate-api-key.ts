import { ValidateApiKeyAnswer, ValidateApiKeyBody } from "../../contract/validate-api-key.ts";
import { describeKey } from "../../control/describe-key.ts";
import { type Route, writeRoute } from "../../http/route.ts";

export function validateKeyRoutes(): Route[] {
  return [
    writeRoute({
      method: "POST",
      path: "/api/validate-api-key",
      operationId: "validateApiKey",
      tag: "Keys",
      summary: "Validate an API key and view its workspace",
      description:
        "The key may come in `x-api-key`, in `Authorization: Bearer`, or as `apiKey` in the body. Needs no scope.",
      access: "any",
      keyInBody: true,
      body: ValidateApiKeyBody,
      answers: { 200: ValidateApiKeyAnswer },
      handle: async ({ key }, tx) => ({ status: 200, body: await describeKey(tx, key) }),
    }),
  ];
}
