import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { accepts } from "../headers.ts";

/** For the Allow header of a 405. */
export const SCRIPT_ROUTES = [{ method: "GET", path: "/script.js" }] as const;

/** Built by `npm run build:script`; read at a server's start, because it is 6 kB. */
const BUILT = new URL("../../../script/dist/script.js", import.meta.url);

/**
 * Serves the script that sites load with one line. It is the same for everybody, so it needs no credential and is kept
 * in memory; a site that asks for it again within the hour is answered by its own browser.
 */
export function mountScript(app: FastifyInstance): void {
  const plain = readFileSync(BUILT);
  const bodies = { br: brotliCompressSync(plain), gzip: gzipSync(plain, { level: 9 }) };
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  app.route({
    method: "GET",
    url: "/script.js",
    handler: async (request, reply) => {
      reply.headers({
        "Cache-Control": "public, max-age=3600, stale-while-revalidate=86400",
        // Sites that isolate themselves load only what says that any site may.
        "Cross-Origin-Resource-Policy": "cross-origin",
        "X-Content-Type-Options": "nosniff",
        ETag: etag,
        Vary: "Accept-Encoding",
      });
      if (request.headers["if-none-match"] === etag) return reply.code(304).send();
      const encoding = (["br", "gzip"] as const).find((name) => accepts(request.headers["accept-encoding"], name));
      if (encoding !== undefined) reply.header("Content-Encoding", encoding);
      return reply.type("text/javascript; charset=utf-8").send(encoding === undefined ? plain : bodies[encoding]);
    },
  });
}
