import assert from "node:assert/strict";
import { it } from "node:test";
import { rememberStatements } from "./known-statements.ts";

const sql = (text: string) => Buffer.from(text);

it("a text that comes again is not read again, and one that differs is", () => {
  const read = rememberStatements(2);
  const first = read(sql("SELECT 'é' FORMAT JSON"));
  assert.equal(read(sql("SELECT 'é' FORMAT JSON")), first);
  const other = read(sql("SELECT 'è' FORMAT JSON"));
  assert.deepEqual(other.kind === "select" && other.before, "SELECT 'è' ");
  assert.notEqual(other, first);
});

it("the texts that were asked longest ago are forgotten", () => {
  const read = rememberStatements(2);
  const [a, b] = [read(sql("SELECT 1")), read(sql("SELECT 2"))];
  assert.equal(read(sql("SELECT 1")), a);
  read(sql("SELECT 3"));
  assert.equal(read(sql("SELECT 1")), a);
  assert.notEqual(read(sql("SELECT 2")), b);
});

it("a text that is refused is refused again", () => {
  const read = rememberStatements();
  for (let i = 0; i < 2; i += 1)
    assert.throws(() => read(sql("SELECT 1; SELECT 2")), { message: /Multi-statements are not allowed/ });
});
