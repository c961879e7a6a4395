/**
 * Asks the registry and measures the installed packages for the page about dependencies: `npm run list:dependencies` after a
 * package was added, updated or removed, then `npm run generate`. What each is for is written by a person.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { FACTS_FILE, type Facts, listDependencies, readFacts } from "./generate/dependencies.ts";

const ROOT = resolve(import.meta.dirname, "..");
const AT_ONCE = 4;
const run = promisify(execFile);

interface Registered {
  time: Record<string, string>;
  "dist-tags": { latest: string };
}

interface Manifest {
  repository?: string | { url: string };
  optionalDependencies?: Record<string, string>;
}

const known = readFacts();
const wanted = listDependencies();
const facts: Record<string, Facts> = {};
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
      facts[next.name] = await find(next.name, next.version);
    }
  }),
);
const sorted = Object.fromEntries(Object.entries(facts).sort(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(FACTS_FILE, `${JSON.stringify(sorted, null, 2)}\n`);
for (const [name, { use }] of Object.entries(sorted))
  if (use === "") process.stdout.write(`say in ${FACTS_FILE.pathname} what ${name} is for\n`);

async function find(name: string, version: string): Promise<Facts> {
  const { stdout } = await run("npm", ["view", name, "time", "dist-tags", "--json"], {
    maxBuffer: 64_000_000,
  });
  const { time, "dist-tags": tags } = JSON.parse(stdout) as Registered;
  return {
    use: known[name]?.use ?? "",
    version,
    kilobytes: Math.round(measure(name) / 1000),
    released: dayOf(time[version]),
    newest: dayOf(time[tags.latest]),
    repository: repositoryOf(name),
  };
}

/** With the build for this platform, which npm installs as a package of its own. */
function measure(name: string): number {
  const dir = join(ROOT, "node_modules", name);
  const { optionalDependencies = {} } = readManifest(name);
  const builds = Object.keys(optionalDependencies).filter((one) => !wanted.some((other) => other.name === one));
  return [dir, ...builds.map((one) => join(ROOT, "node_modules", one))].reduce((sum, path) => sum + bytesOf(path), 0);
}

/** `owner/name` on GitHub, or the address elsewhere. */
function repositoryOf(name: string): string {
  const { repository = "" } = readManifest(name);
  const url = typeof repository === "string" ? repository : repository.url;
  return url
    .replace(/^github:|^(?:git\+)?(?:https?|ssh|git):\/\/(?:git@)?github\.com\/|^git@github\.com:|^git\+/, "")
    .replace(/\.git$/, "");
}

function readManifest(name: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8")) as Manifest;
}

function bytesOf(dir: string): number {
  const isThere = statSync(dir, { throwIfNoEntry: false }) !== undefined;
  const entries = isThere ? readdirSync(dir, { recursive: true, withFileTypes: true }) : [];
  const files = entries.filter((entry) => entry.isFile()).map((entry) => statSync(join(entry.parentPath, entry.name)));
  // The package `node` links its program to a second place.
  return [...new Map(files.map((file) => [file.ino, file.size])).values()].reduce((sum, size) => sum + size, 0);
}

function dayOf(time: string | undefined): string {
  return time?.slice(0, 10) ?? "unknown";
}
