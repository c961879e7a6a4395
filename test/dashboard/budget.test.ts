import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { EXPLORER_HOSTS } from "../../dashboard/src/format/explorers.ts";

const DIST = resolve(import.meta.dirname, "../../dashboard/dist");
const KB = 1000;

const gzBytes = (path: string) => gzipSync(readFileSync(join(DIST, path)), { level: 9 }).length;

/** The files that index.html names, and those that their imports name. */
function firstScreen(): string[] {
  const index = readFileSync(join(DIST, "index.html"), "utf8");
  const found = new Set([...index.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((match) => match[1] ?? ""));
  for (const path of found) {
    if (!path.endsWith(".js")) continue;
    const text = readFileSync(join(DIST, path), "utf8");
    for (const match of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) found.add(`assets/${match[1]}`);
  }
  return [...found];
}

test("the first screen is at most 170 kB of JavaScript, 40 kB of CSS and 8 requests", (t) => {
  const files = firstScreen();
  const sum = (ending: string) =>
    files.filter((path) => path.endsWith(ending)).reduce((total, path) => total + gzBytes(path), 0);
  const [script, style, requests] = [sum(".js"), sum(".css"), files.length + 1];
  t.diagnostic(`JavaScript ${script}, CSS ${style} bytes gz, ${requests} requests: ${files.join(" ")}`);
  assert.ok(script > 50 * KB && script <= 170 * KB, `JavaScript: ${script}`);
  assert.ok(style > KB && style <= 40 * KB, `CSS: ${style}`);
  assert.ok(requests <= 8, `${requests} requests`);
});

test("no built file names another host or holds an inline style or script", () => {
  const index = readFileSync(join(DIST, "index.html"), "utf8");
  assert.doesNotMatch(index, /<style|<script(?![^>]*\ssrc=)|\son\w+=|style="/);
  const hosts = new Set<string>();
  for (const name of readdirSync(join(DIST, "assets")).filter((file) => /\.(js|css)$/.test(file))) {
    const text = readFileSync(join(DIST, "assets", name), "utf8");
    for (const match of text.matchAll(/https?:\/\/([a-z0-9.-]+)/gi)) hosts.add(match[1] ?? "");
  }
  // Names, never requested: XML namespaces, explanations in the errors of React and the router, the code for a user.
  const names = ["www.w3.org", "react.dev", "tanstack.com", "localhost", "radix-ui.com", "app.example"];
  // Explorers are links of a wallet's page, which a person follows.
  assert.deepEqual(
    [...hosts].filter((host) => !names.includes(host) && !EXPLORER_HOSTS.includes(host)),
    [],
  );
});
