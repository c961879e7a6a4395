import type { Draft } from "../draft.ts";
import { identifierText } from "../text.ts";

/** The client's own session, where it sends one. What reports count as a session is made of it by the events table. */
export function putSession({ context, row }: Draft): undefined {
  row.session_id = identifierText(context.session_id);
}
