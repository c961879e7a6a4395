import { FormParams, PollAnswer } from "../../contract/forms.ts";
import { pollForm } from "../../forms/manage.ts";
import { type Route, readRoute, success } from "../../http/route.ts";

/** Section 4.6 of the contract, for tools that poll instead of using webhooks. */
export function pollRoutes(): Route[] {
  return [
    readRoute({
      method: "GET",
      path: "/api/webhooks/:formId/poll",
      operationId: "pollForm",
      tag: "Webhooks",
      summary: "The ten newest submissions of a form",
      description: "Newest first. The items are what FORM_SUBMISSION deliveries carry.",
      access: "forms:read",
      params: FormParams,
      answers: { 200: PollAnswer },
      handle: async ({ db, key, parts: { params } }) =>
        success({ items: await pollForm(db, key.workspaceId, params.formId) }),
    }),
  ];
}
