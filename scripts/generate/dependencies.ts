/** docs/dependencies.md: what we depend on, and what we wrote although a library exists. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { findLicence, readLockfile } from "./lockfile.ts";

const ROOT = resolve(import.meta.dirname, "../..");
export const FACTS_FILE = new URL("./dependencies.json", import.meta.url);

export interface Facts {
  use: string;
  version: string;
  /** Unpacked on Linux arm64, with its native build. */
  kilobytes: number;
  /** The days of this version and of the newest one when the registry was asked. */
  released: string;
  newest: string;
  /** Where it is maintained: `owner/name` on GitHub, or an address. */
  repository: string;
}

type Group = "product" | "dashboard" | "tools";

interface Dependency {
  name: string;
  version: string;
  group: Group;
}

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

export function listDependencies(): Dependency[] {
  const root = readJson<Manifest>("package.json");
  const dashboard = readJson<Manifest>("dashboard/package.json");
  const list = (group: Group, from: Record<string, string> = {}) =>
    Object.entries(from).map(([name, version]) => ({ name, version, group }));
  return [
    ...list("product", root.dependencies),
    ...list("dashboard", dashboard.devDependencies),
    ...list("tools", root.devDependencies),
  ];
}

export function readFacts(): Record<string, Facts> {
  return JSON.parse(readFileSync(FACTS_FILE, "utf8")) as Record<string, Facts>;
}

export function dependenciesPage(): string {
  return `# Dependencies

Every package that Sextant names, and what is written by hand although a library exists. All
versions are exact, the lockfile holds those of their own dependencies, and \`npm run licences\`, a
part of \`npm run check\`, fails for a licence that is not on the list of
\`scripts/generate/lockfile.ts\`.

"MB" is the unpacked size on Linux arm64, with the native build for that platform and without the
packages that it needs in turn. "Released" is the day of this version, "newest" that of the newest
version when \`npm run list:dependencies\` last asked the registry. "Maintained at" is the repository
on GitHub that the package names. \`npm run generate\` writes this page.

## The product

These are what \`npm ci --omit=dev\` and the image install.

${table("product")}

## The dashboard

Needed only to build \`dashboard/dist\`, whose \`licences.txt\` has the notices of what is in it.

${table("dashboard")}

## Tests and tools

${table("tools")}

## Written by hand

The head of each file says why. What a library does better is not on this list.

| File | Why no library |
|---|---|
${findHandWritten()
  .map(({ file, why }) => `| \`${file}\` | ${why} |`)
  .join("\n")}
`;
}

function table(group: Group): string {
  const lockfile = readLockfile();
  const facts = readFacts();
  const rows = listDependencies()
    .filter((one) => one.group === group)
    .map(({ name, version }) => {
      const known = facts[name];
      if (known === undefined || known.version !== version || known.use === "")
        throw new Error(
          `scripts/generate/dependencies.json does not know ${name} ${version}: npm run list:dependencies`,
        );
      const licence = findLicence(lockfile, `node_modules/${name}`) ?? "none";
      const megabytes = (known.kilobytes / 1000).toFixed(known.kilobytes < 10_000 ? 1 : 0);
      const cells = [known.use, megabytes, licence, known.released, known.newest, known.repository];
      return `| \`${name}\` ${version} | ${cells.join(" | ")} |`;
    });
  return [
    "| Package | For | MB | Licence | Released | Newest | Maintained at |",
    "|---|---|---:|---|---|---|---|",
    ...rows,
  ].join("\n");
}

/** Comments that say "Written by hand" or "Hand-written", to their end. */
function findHandWritten(): { file: string; why: string }[] {
  const files = ["src", "dashboard/src"].flatMap((dir) =>
    readdirSync(join(ROOT, dir), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.test)\.tsx?$/.test(entry.name))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
  );
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    const [, reason] =
      /\/\*\*(?:(?!\*\/)[\s\S])*?(?:Written by hand|Hand-written)((?:(?!\*\/)[\s\S])*)\*\//.exec(text) ?? [];
    return reason === undefined ? [] : [{ file, why: toSentence(reason) }];
  });
}

function toSentence(reason: string): string {
  const plain = reason
    .replaceAll(/\n \* ?/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|")
    .replaceAll("<", "&lt;")
    .replace(/^ ?(?:\([^)]*\))?[\s:,]*(?:because )?/, "")
    .trim();
  return plain.slice(0, 1).toUpperCase() + plain.slice(1);
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(ROOT, file), "utf8")) as T;
}
