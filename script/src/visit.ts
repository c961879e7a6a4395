/** Who visits, and where the visit came from. Kept in the browser's own storage; no cookie is set. */

export type Fields = Record<string, unknown>;

/** The query parameters that say where a visit came from. The server has a column for each. */
const SOURCE =
  /^(utm_(source|medium|campaign|term|content)|ref|referral|refcode|g(clid|ad_source)|(fb|tt|tw)clid|msclkid|li_fat_id|rdt_cid)$/i;

/** A browser may refuse storage: then a visitor lasts as long as the page. */
export function keep(kind: "local" | "session", name: string, value?: string): string | null {
  try {
    const storage = kind === "local" ? localStorage : sessionStorage;
    if (value !== undefined) storage.setItem(name, value);
    return storage.getItem(name);
  } catch {
    return null;
  }
}

/** `crypto.randomUUID` is missing on pages without TLS. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

let visitor: string | null = null;

export function visitorId(): string {
  visitor ??= keep("local", "sextant_visitor") || keep("local", "sextant_visitor", randomId()) || randomId();
  return visitor;
}

/** Of this page alone. A visit goes on when a page has none: the site's own pages refer to each other. */
function readSource(): Fields {
  const source: Fields = {};
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (value && SOURCE.test(name)) source[name.toLowerCase()] ??= value;
  }
  const { referrer } = document;
  if (referrer && new URL(referrer).host !== location.host) source.referrer_url = referrer;
  return source;
}

let remembered: Fields | undefined;

/** Every event of a visit has the source of its first page, or of the last page that came from elsewhere. */
export function visitSource(): Fields {
  if (remembered) return remembered;
  const name = "sextant_source";
  const here = readSource();
  if (Object.keys(here).length > 0) {
    keep("session", name, JSON.stringify(here));
    remembered = here;
  } else {
    remembered = JSON.parse(keep("session", name) || "{}") as Fields;
  }
  return remembered;
}
