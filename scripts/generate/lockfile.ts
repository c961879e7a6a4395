/** The packages of package-lock.json and their licences. */
import { readFileSync } from "node:fs";

interface LockedPackage {
  version: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

/** By path, such as `node_modules/pg`. */
type Lockfile = Readonly<Record<string, LockedPackage>>;

/** Each lets us ship the package, changed or not, in a product of any licence, if its notice stays with it. */
const PRODUCT = [
  "MIT",
  // MIT without the notice.
  "MIT-0",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "Unlicense",
  "MIT OR Apache-2.0",
];
/**
 * MPL-2.0 asks for the source of changed files: fine for a tool that is only run. Python-2.0 (argparse, of the generator
 * of clients) is permissive; nothing that is shipped has it.
 */
const TOOLS = [...PRODUCT, "MPL-2.0", "Python-2.0"];

export function readLockfile(): Lockfile {
  const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { packages: Lockfile }).packages;
}

export function mayBeShipped(licence: string): boolean {
  return PRODUCT.includes(licence);
}

/** Why a package may not be used, one line for each; empty if all may. */
export function findRefusedLicences(lockfile: Lockfile): string[] {
  return Object.entries(lockfile).flatMap(([path, { dev = false, link = false }]) => {
    if (!path.includes("node_modules/") || link) return [];
    const licence = findLicence(lockfile, path);
    if ((dev ? TOOLS : PRODUCT).includes(licence ?? "")) return [];
    return [`${path}: ${licence ?? "no licence"} is not on the list for ${dev ? "tools" : "the product"}`];
  });
}

/**
 * npm notes no licence for a package that it never unpacked: the builds for other platforms. Each is released with the
 * package that offers it as an option, whose licence counts.
 */
export function findLicence(lockfile: Lockfile, path: string): string | undefined {
  const own = lockfile[path]?.license;
  if (own !== undefined) return own;
  const name = nameOf(path);
  const parent = Object.values(lockfile).find(({ optionalDependencies = {} }) => name in optionalDependencies);
  return parent?.license;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}
