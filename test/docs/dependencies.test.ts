import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import { findRefusedLicences, mayBeShipped, readLockfile } from "../../scripts/generate/lockfile.ts";

test("every package of the lockfile has a licence on the list", () => {
  const lockfile = readLockfile();
  assert.ok(Object.keys(lockfile).length > 300);
  assert.deepEqual(findRefusedLicences(lockfile), []);
});

test("every package has an integrity, except builds of tools for platforms that npm never unpacked here", () => {
  const without = Object.entries(readLockfile()).filter(
    ([path, { integrity, link }]) => path.includes("node_modules/") && !link && integrity === undefined,
  );
  assert.deepEqual(
    without.filter(([, { dev, optional }]) => !(dev && optional)).map(([path]) => path),
    [],
  );
});

test("a licence that asks for the product's source is refused, and so is none", () => {
  const version = "1.0.0";
  const refused = findRefusedLicences({
    "": { version, license: "GPL-3.0" },
    "node_modules/fine": { version, license: "MIT", optionalDependencies: { "@fine/darwin": version } },
    "node_modules/@fine/darwin": { version },
    "node_modules/@fine/workspace": { version, link: true },
    "node_modules/tool": { version, license: "MPL-2.0", dev: true },
    "node_modules/shipped": { version, license: "MPL-2.0" },
    "node_modules/fine/node_modules/copyleft": { version, license: "GPL-3.0", dev: true },
    "node_modules/silent": { version },
  });
  assert.deepEqual(
    refused.map((line) => line.split(":")[0]),
    ["node_modules/shipped", "node_modules/fine/node_modules/copyleft", "node_modules/silent"],
  );
});

test("the built dashboard has the notices of the packages in it, and each may be shipped", () => {
  const notices = readFileSync(resolve(import.meta.dirname, "../../dashboard/dist/licences.txt"), "utf8");
  const packages = [...notices.matchAll(/^## (\S+) - \S+ \((.*)\)$/gm)];
  assert.ok(packages.some(([, name]) => name === "react") && packages.length > 20);
  for (const [line, , licence = ""] of packages) assert.ok(mayBeShipped(licence), line);
});
