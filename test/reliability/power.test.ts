import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { SEED } from "../../src/lib/testing.ts";
import { seeded } from "../support/chaos.ts";
import { Disk } from "./power/disk.ts";
import { type Change, readTrace, type Step } from "./power/trace.ts";

const DIR = "/data";
const hex = (text: string) => Buffer.from(text).toString("hex").replaceAll(/../g, "\\x$&");

/** What each of many losses of power leaves, as lines of name and content. */
function outcomes(changes: readonly Change[], losses = 200): Set<string> {
  const random = seeded(SEED);
  const disk = new Disk(DIR);
  for (const [nth, change] of changes.entries()) disk.apply({ ...change, atMs: nth, begunAfter: nth });
  const found = Array.from({ length: losses }, () =>
    [...disk.after(random)].map(([path, content]) => `${path}: ${content?.toString() ?? "a directory"}`).join("\n"),
  );
  return new Set(found);
}

const create = (path: string): Change => ({ kind: "create", path: `${DIR}/${path}`, truncates: false });
const sync = (path: string): Change => ({ kind: "sync", path: path === "" ? DIR : `${DIR}/${path}` });
const write = (path: string, text: string, offset?: number): Change => ({
  kind: "write",
  path: `${DIR}/${path}`,
  offset,
  data: Buffer.from(text),
});

describe("a loss of power, as the disk of npm run chaos:power has it,", () => {
  test("keeps what was synced, content and name", () => {
    const changes = [create("a"), write("a", "one"), sync("a"), sync(""), write("a", "two")];
    assert.deepEqual(outcomes(changes.slice(0, 4)), new Set(["a: one"]));
    assert.deepEqual(outcomes(changes), new Set(["a: one", "a: onetwo", "a: one\0\0\0"]));
  });

  test("may take a file whose directory was not synced, and what was written without a sync", () => {
    assert.ok(outcomes([create("a"), write("a", "one"), sync("a")]).has(""));
    assert.ok(outcomes([create("a"), sync(""), write("a", "one")]).has("a: "));
  });

  test("may keep the second of two writes without the first, and half of a long one", () => {
    const twoWrites = [create("a"), sync(""), write("a", "1".repeat(512), 0), write("a", "22", 512)];
    assert.ok(outcomes(twoWrites).has(`a: ${"\0".repeat(512)}22`));
    const long = outcomes([create("a"), sync(""), write("a", "x".repeat(2_048))]);
    assert.ok(long.has(`a: ${"x".repeat(1_024)}`));
  });

  test("keeps changes of names in order: an old file or the new one, never none", () => {
    const changes: Change[] = [
      ...[create("a"), write("a", "old"), sync("a"), sync("")],
      ...[create("a.new"), write("a.new", "new"), sync("a.new")],
      { kind: "rename", path: `${DIR}/a.new`, to: `${DIR}/a` },
    ];
    const found = outcomes(changes);
    assert.deepEqual(found, new Set(["a: old", "a: old\na.new: new", "a: new"]));
    assert.deepEqual(outcomes([...changes, sync("")]), new Set(["a: new"]));
  });

  test("does not count on a sync that began before the write ended", () => {
    const disk = new Disk(DIR);
    const changes = [create("a"), sync(""), write("a", "one"), sync("a")];
    for (const [nth, change] of changes.entries())
      disk.apply({ ...change, atMs: nth, begunAfter: change.kind === "sync" && nth === 3 ? 2 : nth });
    const random = seeded(SEED);
    const found = new Set(Array.from({ length: 100 }, () => String(disk.after(random).get("a"))));
    assert.ok(found.has("") && found.has("one"));
  });
});

test("a trace of two threads is read call by call, and what failed or lies elsewhere is left out", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "trace-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, "trace");
  const name = hex("/data/log");
  writeFileSync(
    file,
    [
      `1 10.000001 openat(AT_FDCWD<${hex("/")}>, "${name}", O_RDWR|O_CREAT|O_TRUNC|O_CLOEXEC, 0600) = 3<${name}>`,
      `1 10.000002 pwrite64(3<${name}>, "${hex("abc")}", 3, 4096 <unfinished ...>`,
      `2 10.000003 fdatasync(3<${name}> <unfinished ...>`,
      "1 10.000004 <... pwrite64 resumed>) = 3",
      `2 10.000005 <... fdatasync resumed>) = 0`,
      `2 10.000006 write(4<${hex("/elsewhere")}>, "${hex("x")}", 1) = 1`,
      `2 10.000007 unlinkat(AT_FDCWD<${hex("/")}>, "${hex("/data/none")}", 0) = -1 ENOENT (No such file or directory)`,
      `2 10.000008 write(5<${name}>(deleted), "${hex("x")}", 1) = 1`,
      `2 10.000009 renameat(AT_FDCWD<${hex("/")}>, "${name}", AT_FDCWD<${hex("/")}>, "${hex("/data/new")}") = 0`,
      "",
    ].join("\n"),
  );
  const steps = await readTrace(file, "/data");
  const plain = steps.map(({ atMs: _atMs, ...step }: Step) => step);
  assert.deepEqual(plain, [
    { kind: "create", path: "/data/log", truncates: true, begunAfter: 0 },
    { kind: "write", path: "/data/log", offset: 4096, data: Buffer.from("abc"), begunAfter: 1 },
    { kind: "sync", path: "/data/log", begunAfter: 1 },
    { kind: "rename", path: "/data/log", to: "/data/new", begunAfter: 3 },
  ]);
});
