import type { Draft, Step } from "../draft.ts";
import { columnText, LIMIT } from "../text.ts";
import { type UrlParts, withoutWww } from "../url.ts";

/** The page of the event. Page events of the contract have URL and path in `properties`. */
export function makePutPage(readUrl: (text: string) => UrlParts): Step {
  return function putPage(draft: Draft): undefined {
    const { context, properties, row } = draft;
    const isPage = row.type === "page";
    row.page_url = columnText(context.page_url, LIMIT.url) || (isPage ? columnText(properties.url, LIMIT.url) : "");
    draft.page = readUrl(row.page_url);
    const page = draft.page;
    row.origin = withoutWww(page.host);
    row.pathname = columnText(context.page_path, LIMIT.text) || columnText(page.path, LIMIT.text);
    if (row.pathname === "") row.pathname = columnText(properties.path, LIMIT.text);
    row.page_query = bareQuery(columnText(context.page_query, LIMIT.url)) || page.query;
  };
}

function bareQuery(query: string): string {
  return query.startsWith("?") ? query.slice(1) : query;
}
