import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { IS_LONG, SEED } from "../lib/testing.ts";
import { buildFields, type Field } from "./form.ts";
import { assignKeys, RESERVED_KEYS, toSnakeCase } from "./keys.ts";

const LABEL_SETS = IS_LONG ? 10_000 : 1_000;

const keysOf = (...labels: string[]) => assignKeys(labels.map((label) => ({ label })));

describe("a label in snake_case", () => {
  const table: [string, string][] = [
    ["Email", "email"],
    ["  First   name ", "first_name"],
    ["firstName", "first_name"],
    ["HTMLParser", "html_parser"],
    ["Your NFTs", "your_nfts"],
    ["2FA code", "2fa_code"],
    ["Web3Wallet", "web3_wallet"],
    ["E-mail address (work)", "e_mail_address_work"],
    ["What’s your name?", "whats_your_name"],
    ["Straße", "strasse"],
    ["Адрес", "adres"],
    ["姓名", "xing_ming"],
    ["__proto__", "proto"],
    ["constructor", "constructor"],
    ["formId", "form_id"],
    ["?!", "field"],
    ["", "field"],
    [`${"word ".repeat(40)}`, `${"word_".repeat(19)}word`],
    ["x".repeat(300), "x".repeat(100)],
  ];
  for (const [label, key] of table)
    test(`${JSON.stringify(label.slice(0, 30))} is ${key.slice(0, 30)}`, () => {
      assert.equal(toSnakeCase(label), key);
    });
});

describe("keys", () => {
  test("a clash gets _2, _3, and the first field of each name keeps the plain key", () => {
    assert.deepEqual(keysOf("Name", "Name", "NAME!"), ["name", "name_2", "name_3"]);
    assert.deepEqual(keysOf("Name", "Name", "Name 2"), ["name", "name_3", "name_2"]);
    assert.deepEqual(keysOf("?", "!"), ["field", "field_2"]);
  });

  test("a reserved name is never given plainly", () => {
    assert.deepEqual(keysOf("ID", "id", "Sequence", "Form ID"), ["id_2", "id_3", "sequence_2", "form_id"]);
  });

  test(`${LABEL_SETS} random label sets: unique, deterministic, never reserved, always snake_case`, () => {
    const tricky = fc.constantFrom(
      "id",
      "ID",
      "Name",
      "name 2",
      "Name_2",
      "formId",
      "Sequence",
      "__proto__",
      "",
      "🎉",
      "ﬁ",
    );
    const label = fc.oneof(
      tricky,
      fc.string({ unit: "grapheme", maxLength: 30 }),
      fc.string({ unit: "binary", maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(label, { maxLength: 20 }), (labels) => {
        const keys = keysOf(...labels);
        assert.equal(new Set(keys).size, labels.length);
        assert.deepEqual(keysOf(...labels), keys);
        for (const key of keys) {
          assert.match(key, /^[a-z0-9]+(_[a-z0-9]+)*$/);
          assert.ok(!RESERVED_KEYS.has(key), key);
          assert.ok(!(key in {}) || key === "constructor", key);
        }
        const seen = new Set<string>();
        labels.forEach((text, i) => {
          const plain = toSnakeCase(text);
          if (!seen.has(plain) && !RESERVED_KEYS.has(plain)) assert.equal(keys[i], plain);
          seen.add(plain);
        });
      }),
      { seed: SEED, numRuns: LABEL_SETS },
    );
  });
});

describe("keys of a form that is edited", () => {
  const draft = (...labels: string[]) => labels.map((label) => ({ label, type: "short_text" }));
  const keys = (fields: readonly Field[]) => fields.map((field) => field.key);
  const named = (fields: readonly Field[], labels: readonly string[]) =>
    fields.map((field, i) => ({ id: field.id, label: labels[i] ?? "", type: field.type }));

  test("a key survives a label that reads the same in snake_case, and follows one that does not", () => {
    const before = buildFields(draft("First name", "City"), []);
    const after = buildFields(named(before, ["First Name:", "Town"]), before);
    assert.deepEqual(keys(after), ["first_name", "town"]);
    assert.deepEqual(
      after.map((field) => field.id),
      before.map((field) => field.id),
    );
  });

  test("a numbered key stays when the field it clashed with goes, and a new field never takes a kept key", () => {
    const before = buildFields(draft("Name", "Name"), []);
    const [, second] = before;
    const after = buildFields([{ label: "Name 2", type: "short_text" }, ...named(before.slice(1), ["Name"])], before);
    assert.deepEqual(keys(after), ["name_2_2", "name_2"]);
    assert.equal(after[1]?.id, second?.id);
  });

  test("without ids, fields of the same type and name are the same fields", () => {
    const before = buildFields(draft("Name", "Name", "City"), []);
    assert.deepEqual(buildFields(draft("Name", "Name", "City"), before), before);
  });

  test("without ids, a heading or paragraph is known by its whole text, not by what a key would keep of it", () => {
    const text = "word ".repeat(40);
    const paragraphs = (...ends: string[]) => ends.map((end) => ({ label: `${text}${end}`, type: "paragraph" }));
    const before = buildFields(paragraphs("one", "two"), []);
    const after = buildFields(paragraphs("two", "three"), before);
    assert.equal(after[0]?.id, before[1]?.id);
    assert.ok(before.every((field) => field.id !== after[1]?.id));
  });

  test("an update of the longest form costs milliseconds, whatever its texts are", () => {
    const longest = (end: string) =>
      Array.from({ length: 100 }, (_, i) => ({ label: `${"A".repeat(4_990)}${end}${i}`, type: "paragraph" }));
    const before = buildFields(longest("B"), []);
    const from = process.threadCpuUsage();
    buildFields(longest("C"), before);
    for (const { label } of longest("D")) toSnakeCase(label);
    const { user, system } = process.threadCpuUsage(from);
    const tookMs = (user + system) / 1000;
    assert.ok(tookMs < 1_000, `${tookMs} ms`);
  });

  test("headings and paragraphs take no key from a question", () => {
    const fields = buildFields(
      [
        { label: "Name", type: "heading" },
        { label: "Name", type: "short_text" },
      ],
      [],
    );
    assert.deepEqual(keys(fields), [null, "name"]);
  });

  test("random edits keep every key whose label reads the same, and stay unique", () => {
    const label = fc.constantFrom("Name", "name", "Name 2", "NAME!", "City", "id", "?");
    fc.assert(
      fc.property(
        fc.array(label, { minLength: 1, maxLength: 8 }),
        fc.array(label, { maxLength: 8 }),
        (first, second) => {
          const before = buildFields(draft(...first), []);
          const kept = before.slice(0, second.length);
          const after = buildFields([...named(kept, second), ...draft("New", "Name")], before);
          assert.equal(new Set(keys(after)).size, after.length);
          kept.forEach((field, i) => {
            const same = toSnakeCase(field.label) === toSnakeCase(second[i] ?? "");
            if (same) assert.equal(after[i]?.key, field.key);
          });
        },
      ),
      { seed: SEED, numRuns: IS_LONG ? 2_000 : 300 },
    );
  });
});
