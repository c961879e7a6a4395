import assert from "node:assert/strict";
import { test } from "node:test";
import { isMailAddress, mailboxOf } from "./mail-address.ts";

test("an address is one mailbox, and nothing that could become a header, a list or a command", () => {
  for (const address of ["ada@example.com", "a.b+reports@mail.example.co", "o'neil@example.com", "x@a-b.example"])
    assert.equal(isMailAddress(address), true, address);
  for (const address of [
    "",
    "@",
    "ada",
    "ada@",
    "@example.com",
    "ada@example",
    "ada@@example.com",
    "ada@example..com",
    ".ada@example.com",
    "ada@-example.com",
    "ada@example.com, eve@example.com",
    "ada@example.com\r\nBcc: eve@example.com",
    "Ada <ada@example.com>",
    '"ada"@example.com',
    "ada@[127.0.0.1]",
    "ada@example.com\0",
    "ada @example.com",
    "ada@exa mple.com",
    "ädä@example.com",
    `${"a".repeat(65)}@example.com`,
    `a@${"b".repeat(250)}.com`,
  ])
    assert.equal(isMailAddress(address), false, JSON.stringify(address));
});

test("two spellings are one mailbox", () => assert.equal(mailboxOf("Ada@Example.com"), mailboxOf("ada@example.COM")));
