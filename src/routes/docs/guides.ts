/** The guides of `docs/` as pages, so that what a page of the dashboard refers to can be read where it runs. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { page } from "../../http/page-layout.ts";
import { renderMarkdown } from "./markdown.ts";

const DIR = resolve(import.meta.dirname, "../../../docs");
const INDEX = "README";
/** Pages load nothing, and the image of the service has no pictures: those are for readers of the repository. */
const PICTURE = /^!\[[^\]]*\]\([^)]*\)\n/gm;

export interface Guides {
  /** Undefined: there is none of this name. */
  find(name: string): string | undefined;
  index(): string | undefined;
}

export function openGuides(dir = DIR): Guides {
  // Names come from requests: only those of files that were here at the start are read.
  const names = new Set(existsSync(dir) ? readdirSync(dir).filter((file) => file.endsWith(".md")) : []);
  const pages = new Map<string, string>();
  const toHref = (target: string) => {
    if (/^(https?:|#)/.test(target)) return target;
    const [file = "", anchor] = target.split("#");
    if (!names.has(file)) return undefined;
    const path = file === `${INDEX}.md` ? "/docs/guides" : `/docs/guides/${file.replace(/\.md$/, "")}`;
    return anchor === undefined ? path : `${path}#${anchor}`;
  };
  const find = (name: string) => {
    const file = `${name}.md`;
    if (!names.has(file)) return undefined;
    const known = pages.get(name);
    if (known !== undefined) return known;
    const text = readFileSync(join(dir, file), "utf8").replaceAll(PICTURE, "");
    const made = page(/^# (.+)$/m.exec(text)?.[1] ?? name, renderMarkdown(text, toHref));
    pages.set(name, made);
    return made;
  };
  return { find, index: () => find(INDEX) };
}
