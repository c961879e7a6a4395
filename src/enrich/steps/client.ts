import type { Draft } from "../draft.ts";
import { columnText, LIMIT } from "../text.ts";

/** What the sending software says about itself, taken as it is. */
export function putClient({ context, row }: Draft): undefined {
  row.user_agent = columnText(context.user_agent, LIMIT.text);
  row.locale = columnText(context.locale, LIMIT.short);
  row.timezone = columnText(context.timezone, LIMIT.short);
  row.library_name = columnText(context.library_name, LIMIT.short);
  row.library_version = columnText(context.library_version, LIMIT.short);
}
