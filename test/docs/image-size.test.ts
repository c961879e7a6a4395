import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

/** No image can be built here: this sums what the Dockerfile copies, for both processors. */
const ROOT = resolve(import.meta.dirname, "../..");
const MEGABYTE = 1_000_000;
const MOST = 450 * MEGABYTE;
/** Of those, for Debian's slim base, npm and tini, which cannot be measured here. */
const FOR_DEBIAN = 120 * MEGABYTE;
/** Node's own files in the base image, unpacked: the package `node-linux-<processor>` of the same version. */
const NODE = { version: "24.21.0", x64: 188_572_699, arm64: 184_870_883 } as const;
/** Unpacked native builds; `npm pack` shows them. npm installs only the one of this machine, which is measured. */
const NATIVE: Readonly<Record<string, { version: string; bytes: number }>> = {
  "node_modules/@duckdb/node-bindings-linux-x64": { version: "1.5.5-r.5", bytes: 71_006_669 },
  "node_modules/@duckdb/node-bindings-linux-arm64": { version: "1.5.5-r.5", bytes: 63_462_237 },
};

interface Locked {
  version: string;
  dev?: boolean;
  link?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
  packages: Record<string, Locked>;
};

function bytesOf(path: string): number {
  const status = statSync(path);
  if (status.isFile()) return status.size;
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  // A package below another is an entry of its own in the lockfile.
  const own = files.filter((entry) => !entry.parentPath.slice(path.length).includes("node_modules"));
  return own.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** What `npm ci --omit=dev --ignore-scripts` installs on Debian; without scripts the package `node` has no program. */
function packagesFor(cpu: string): [string, Locked][] {
  const suits = (wanted: string[] | undefined, value: string) => wanted?.includes(value) ?? true;
  return Object.entries(packages).filter(
    ([path, { dev, link, os, cpu: cpus, libc }]) =>
      path.includes("node_modules/") &&
      path !== "node_modules/node" &&
      dev !== true &&
      link !== true &&
      suits(os, "linux") &&
      suits(cpus, cpu) &&
      suits(libc, "glibc"),
  );
}

function packageBytes([path, { version, cpu }]: [string, Locked]): number {
  if (cpu === undefined) return bytesOf(join(ROOT, path));
  const known = NATIVE[path];
  assert.equal(known?.version, version, `the unpacked size of ${path} ${version} is not in this test`);
  if (process.platform === "linux" && cpu.includes(process.arch)) {
    const measured = bytesOf(join(ROOT, path));
    assert.ok(Math.abs(measured / known.bytes - 1) < 0.02, `${path} has ${measured} bytes`);
  }
  return known.bytes;
}

for (const cpu of ["x64", "arm64"] as const) {
  test(`the image for ${cpu} copies so little that it stays below 450 MB`, () => {
    const dockerfile = readFileSync(join(ROOT, "Dockerfile"), "utf8");
    const [, last = ""] = dockerfile.split(/^FROM .*\n/m).slice(1);
    const copied = [...last.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths = ""]) => paths.split(" "));
    assert.ok(copied.includes("src") && copied.includes("dashboard/dist"));
    assert.match(dockerfile, /^RUN npm ci --omit=dev --ignore-scripts$/m);
    assert.match(dockerfile, new RegExp(`^FROM node:${NODE.version}-`, "m"), "the sizes are those of this Node");
    const wanted = packagesFor(cpu);
    assert.ok(wanted.length > 80 && wanted.some(([path]) => path in NATIVE));
    const own = copied.reduce((sum, path) => sum + bytesOf(join(ROOT, path)), 0);
    const bytes = own + wanted.reduce((sum, one) => sum + packageBytes(one), 0);
    assert.ok(bytes > 50 * MEGABYTE, "packages are installed");
    assert.ok(bytes + NODE[cpu] + FOR_DEBIAN < MOST, `it copies ${bytes} bytes`);
  });
}
