import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { COPY_ENDINGS, type Encoding, isCompressible } from "./compress.ts";

/** The paths of a file and of its compressed copies; a checkout has none of those. */
export interface DashboardFile {
  contentType: string;
  plain: string;
  isCompressible: boolean;
  copies: Readonly<Record<Encoding, string | undefined>>;
}

export interface DashboardFiles {
  /** The text of index.html. */
  index: string;
  /** URL path without its first slash -> file. A request is looked up here, so no path leads out of the directory. */
  files: ReadonlyMap<string, DashboardFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

/** Written by hand: @fastify/static decides per request what a path means, and this has to serve one fixed list. */
export function listDashboardFiles(dir: string): DashboardFiles {
  const paths = new Map<string, string>();
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) paths.set(relative(dir, path).replaceAll("\\", "/"), path);
  }
  const files = new Map<string, DashboardFile>();
  for (const [name, plain] of paths) {
    const contentType = TYPES[extname(name)];
    if (contentType === undefined) continue;
    const copies = {
      br: paths.get(`${name}${COPY_ENDINGS.br}`),
      gzip: paths.get(`${name}${COPY_ENDINGS.gzip}`),
    };
    files.set(name, { contentType, plain, isCompressible: isCompressible(name), copies });
  }
  return { index: readFileSync(join(dir, "index.html"), "utf8"), files };
}
