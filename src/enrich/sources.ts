import { getPublicSuffix } from "tldts";
import { memoize } from "../lib/bounded-cache.ts";
import { readList } from "./csv.ts";

/** Kind of a traffic source -> its list in `data/`. `other` lists hosts that a broader entry would classify wrongly. */
export const SOURCE_LISTS = {
  search: "search-engines",
  social: "social",
  video: "video",
  ai: "ai-assistants",
  mail: "mail",
  ads: "ad-networks",
  other: "other",
} as const;

export type SourceKind = keyof typeof SOURCE_LISTS | "unknown";

export interface Sources {
  /** By the longest listed suffix that starts at a label: `mail.google.com` is mail although `google.*` is search. */
  readonly kindOfHost: (host: string) => SourceKind;
  /** By a `utm_source` value: a listed name, a host or a URL. Case is ignored. */
  readonly kindOfName: (name: string) => SourceKind;
}

/** Sources repeat often; 10,000 different ones in an hour are a large site. */
const CACHED = 20_000;

export function loadSources(): Sources {
  const hosts = new Map<string, SourceKind>();
  const names = new Map<string, SourceKind>();
  for (const [kind, list] of Object.entries(SOURCE_LISTS) as [keyof typeof SOURCE_LISTS, string][]) {
    for (const [host, spellings] of readList(list, ["host", "names"])) {
      hosts.set(host, kind);
      for (const name of spellings.split("|")) if (name !== "") names.set(name, kind);
    }
  }
  const kindOfHost = memoize(CACHED, (host: string) => matchHost(hosts, host));
  const kindOfName = memoize(CACHED, (name: string) => {
    const spelling = name.trim().toLowerCase();
    const listed = names.get(spelling);
    if (listed !== undefined) return listed;
    return spelling.includes(".") ? matchHost(hosts, hostIn(spelling)) : "unknown";
  });
  return { kindOfHost, kindOfName };
}

/** The host of a URL, of `host/path` or of a host. */
function hostIn(text: string): string {
  return /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/)?([^/?#:]*)/.exec(text)?.[1] ?? text;
}

function matchHost(hosts: ReadonlyMap<string, SourceKind>, host: string): SourceKind {
  if (host === "" || host.length > 253) return "unknown";
  // `google.*` means google under any public suffix. The public suffix list decides where the suffix starts.
  const suffix = getPublicSuffix(host) ?? "";
  const stem = suffix === "" ? 0 : host.length - suffix.length - 1;
  for (let at = 0; at !== -1 && at < host.length; at = nextLabel(host, at)) {
    const exact = hosts.get(host.slice(at));
    if (exact !== undefined) return exact;
    const wild = at < stem ? hosts.get(`${host.slice(at, stem)}.*`) : undefined;
    if (wild !== undefined) return wild;
  }
  return "unknown";
}

function nextLabel(host: string, at: number): number {
  const dot = host.indexOf(".", at);
  return dot === -1 ? -1 : dot + 1;
}
