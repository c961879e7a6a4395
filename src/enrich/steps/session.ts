import { dayOf } from "../../lib/time.ts";
import type { Draft } from "../draft.ts";
import { identifierText } from "../text.ts";

/**
 * The client's session, or one for each visitor and UTC day. `session_key` is what reports count: it holds the day in both
 * cases, so that a session across midnight counts once on each day and counts add up over days. The day is that of
 * `timestamp`, as in every report. The two marks keep a client's session id from meeting a visitor of the same name.
 */
export function putSession({ context, row }: Draft): undefined {
  const day = dayOf(row.timestamp);
  const own = identifierText(context.session_id);
  row.session_id = own === "" ? `${day}~${row.visitor}` : own;
  row.session_key = own === "" ? row.session_id : `${day}/${own}`;
}
