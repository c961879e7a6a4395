import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { createSchemaChecks } from "./check-schema.ts";

test("a text that is refused by a pattern is refused in words", () => {
  const body = (pattern: string) => Type.Object({ name: Type.String({ pattern }) });
  const problemOf = (pattern: string, name: string) => {
    const failures = new Map<string, string>();
    createSchemaChecks().ofJson(body(pattern), "body")({ name }, failures);
    return failures.get("body.name");
  };
  assert.equal(problemOf("^(?!_gone$)[^\\x00]*$", "_gone"), "must not be _gone, and must have no NUL character");
  assert.equal(problemOf("^[^\\x00]*$", "a\0"), "must have no NUL character");
  assert.equal(problemOf("^(?=.*\\S)[^\\x00-\\x1f]*$", "a\nb"), "must be one line, and not blank");
  assert.equal(problemOf("\\S", " "), "must not be blank");
  assert.match(problemOf("^seg_[a-z]{3}$", "x") ?? "", /\^seg_/);
});
