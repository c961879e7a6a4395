import type { Draft, Step } from "../draft.ts";
import { columnText, LIMIT } from "../text.ts";
import { NO_URL, type UrlParts, withoutWww } from "../url.ts";

export interface ReferrerTools {
  readonly readUrl: (text: string) => UrlParts;
  readonly registrableDomain: (host: string) => string;
}

/** The site the visitor came from. A page of the same owner is not a referrer. */
export function makePutReferrer({ readUrl, registrableDomain }: ReferrerTools): Step {
  function findReferrer(text: string): UrlParts {
    if (text === "") return NO_URL;
    const url = readUrl(text);
    if (url.host !== "" || text.includes("://") || !looksLikeHost(text)) return url;
    return readUrl(text.startsWith("//") ? `https:${text}` : `https://${text}`);
  }

  return function putReferrer({ context, page, row }: Draft): undefined {
    let text = columnText(context.referrer_url, LIMIT.url);
    let { host } = findReferrer(text);
    if (host === "") {
      text = columnText(context.referrer, LIMIT.url);
      ({ host } = findReferrer(text));
    }
    if (host === "" || (page.host !== "" && isSameOwner(host, page.host))) return;
    row.referrer = withoutWww(host);
    row.referrer_url = text;
  };

  function isSameOwner(one: string, other: string): boolean {
    return one === other || registrableDomain(one) === registrableDomain(other);
  }
}

/** Some clients send only a host. A single word such as `direct` is not a host. */
function looksLikeHost(text: string): boolean {
  const slash = text.indexOf("/", text.startsWith("//") ? 2 : 0);
  const host = slash === -1 ? text : text.slice(0, slash);
  return host.includes(".") && !/[\s@]/.test(host);
}
