import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../lib/ids.ts";
import { createMailLinks } from "./links.ts";

const links = createMailLinks(Buffer.alloc(32, 1));

test("a link is read as what it was made for", () => {
  const [address, recipient] = [newId("mad"), newId("whk")];
  assert.deepEqual(links.read(links.make("confirm", address)), { purpose: "confirm", id: address });
  assert.deepEqual(links.read(links.make("unsubscribe", recipient)), { purpose: "unsubscribe", id: recipient });
});

test("a link that was changed, moved to another id or made under another secret is none", () => {
  const id = newId("whk");
  const token = links.make("unsubscribe", id);
  const [, signature = ""] = token.split(".");
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === "A" ? "B" : "A";
    assert.equal(links.read(token.slice(0, at) + other + token.slice(at + 1)), undefined, `character ${at}`);
  }
  assert.equal(links.read(`${newId("whk")}.${signature}`), undefined);
  assert.equal(createMailLinks(Buffer.alloc(32, 2)).read(token), undefined);
  // The signature of one purpose is none of the other.
  assert.equal(links.read(links.make("confirm", id)), undefined);
  for (const text of ["", ".", id, `${id}.`, `${token}x`, `whk_\0.${signature}`])
    assert.equal(links.read(text), undefined);
});
