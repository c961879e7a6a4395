import assert from "node:assert/strict";
import { test } from "node:test";
import { inSomeRound } from "../lib/testing.ts";
import { createPasswords, findPasswordProblem } from "./passwords.ts";

test("a password matches its own hash alone, and no password matches without one", async () => {
  const passwords = createPasswords();
  const stored = await passwords.hash("correct horse battery");
  assert.match(stored, /^\$argon2id\$v=19\$m=32768,t=2,p=1\$/);
  assert.equal(await passwords.matches(stored, "correct horse battery"), true);
  assert.equal(await passwords.matches(stored, "correct horse batter"), false);
  assert.equal(await passwords.matches(null, "correct horse battery"), false);
});

test("an unknown name costs as much as a wrong password, and a hash of another cost is still understood", async () => {
  const [usual, cheap] = [createPasswords(), createPasswords({ memory: 64, passes: 1, parallelism: 1 })];
  const stored = await usual.hash("correct horse battery");
  const time = async (hash: string | null) => {
    const start = process.cpuUsage();
    for (let i = 0; i < 3; i += 1) await usual.matches(hash, "wrong");
    return process.cpuUsage(start).user;
  };
  await inSomeRound(5, async () => {
    const [known, unknown] = [await time(stored), await time(null)];
    assert.ok(unknown > known / 3 && unknown < known * 3, `${known} us and ${unknown} us`);
  });
  assert.equal(await usual.matches(await cheap.hash("a b c"), "a b c"), true);
});

test("the same characters in another Unicode form are the same password", async () => {
  const passwords = createPasswords({ memory: 64, passes: 1, parallelism: 1 });
  assert.equal(await passwords.matches(await passwords.hash("caf\u00e9 caf\u00e9"), "cafe\u0301 cafe\u0301"), true);
});

test("a password needs a length and no kinds of characters", () => {
  const cases: [password: string, isGood: boolean][] = [
    ["alllowercase", true],
    ["1234567890", true],
    ["ääääöööüü1", true],
    ["short", false],
    ["aaaaaaaaaaaaaaa", false],
    ["ada@example.com", false],
    ["x1".repeat(129), false],
  ];
  for (const [password, isGood] of cases)
    assert.equal(findPasswordProblem(password, "Ada@Example.com") === undefined, isGood, password);
});
