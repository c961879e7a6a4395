import type { Draft } from "../draft.ts";
import { identifierText } from "../text.ts";

/** The session id of the client, if it sends one. The engine derives the sessions of reports from it. */
export function putSession({ context, row }: Draft): undefined {
  row.session_id = identifierText(context.session_id);
}
