import type { Draft, Step } from "../draft.ts";
import { CLICK_IDS, UTM_FIELDS } from "../tags.ts";
import { columnText, firstText, LIMIT } from "../text.ts";

const TAGS = [...UTM_FIELDS, ...CLICK_IDS] as const;
const REF_NAMES = ["ref", "referral", "refcode"] as const;
const WANTED: ReadonlySet<string> = new Set([...TAGS, ...REF_NAMES]);

export type CampaignParams = ReadonlyMap<string, string>;
const NO_PARAMS: CampaignParams = new Map();

/** UTM tags, ad click ids and referral code: the client's own values first, else those parsed from the page's URL. */
export function makePutCampaign(readParams: (query: string) => CampaignParams): Step {
  return function putCampaign({ context, page, row }: Draft): undefined {
    const params = row.page_query === "" ? NO_PARAMS : readParams(row.page_query);
    const urlParams = page.query === "" || page.query === row.page_query ? params : readParams(page.query);
    for (const name of TAGS) {
      row[name] = columnText(context[name], LIMIT.tag) || urlParams.get(name) || params.get(name) || "";
    }
    row.ref = firstText(context, REF_NAMES, LIMIT.tag) || findRef(urlParams) || findRef(params);
  };
}

function findRef(params: CampaignParams): string {
  for (const name of REF_NAMES) {
    const value = params.get(name);
    if (value !== undefined) return value;
  }
  return "";
}

/** Reads only the parameters that have columns, for each the first that is not empty. Names ignore case. */
export function readCampaignParams(query: string): CampaignParams {
  let found: Map<string, string> | undefined;
  for (let at = 0; at < query.length; ) {
    const amp = query.indexOf("&", at);
    const end = amp === -1 ? query.length : amp;
    const equals = query.indexOf("=", at);
    // The longest wanted name has 12 letters, so longer names need no lower-casing.
    if (equals > at && equals < end && equals - at <= 12) {
      const name = query.slice(at, equals).toLowerCase();
      if (WANTED.has(name) && !found?.has(name)) {
        const value = columnText(decode(query.slice(equals + 1, end)), LIMIT.tag);
        found ??= new Map();
        if (value !== "") found.set(name, value);
      }
    }
    at = end + 1;
  }
  return found ?? NO_PARAMS;
}

function decode(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // A stray percent sign: the raw text is better than no value.
    return spaced;
  }
}
