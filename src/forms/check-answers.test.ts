import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FIELD_TYPES, type FieldType, FORM_LIMITS } from "../contract/forms.ts";
import { checkAnswers } from "./check-answers.ts";
import { answerFields, buildFields } from "./form.ts";

const EVM = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const SOLANA = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV";
const OPTIONS = [
  { label: "Red wine", value: "red" },
  { label: "White wine", value: "white" },
];

function fieldOf(type: FieldType, required = false) {
  const options = ["select", "radio", "checkbox_group"].includes(type) ? OPTIONS : [];
  return answerFields(buildFields([{ label: "Answer", type, required, options }], []));
}

/** The stored form of an answer, or its problem. */
function answer(type: FieldType, sent: unknown, required = false): unknown {
  const checked = checkAnswers(fieldOf(type, required), new Map([["answer", sent]]));
  return checked.ok ? checked.item.answer : `! ${checked.problems.get("answer")?.api}`;
}

const NOT_EMAIL = "! must be an email address such as name@example.com";
const NOT_URL = "! must be a URL that starts with https:// or http://";
const NOT_WALLET = "! must be an EVM address (0x and 40 hexadecimal digits) or a Solana address";
const NOT_DATE = "! must be a date such as 2026-01-31";
const NOT_RATING = "! must be a whole number from 1 to 5";
const NOT_OPTION = "! must be one of the options";
const NOT_OPTIONS = "! must be an array of option values";
const NOT_FILE = "! must be a file name, or an object with name, size and type";
const NOT_NUMBER = "! must be a number";

const TABLE: Partial<Record<FieldType, [sent: unknown, kept: unknown][]>> = {
  short_text: [
    [" Ada ", "Ada"],
    ["x".repeat(FORM_LIMITS.shortTextChars), "x".repeat(FORM_LIMITS.shortTextChars)],
    ["x".repeat(FORM_LIMITS.shortTextChars + 1), "! must have at most 1000 characters"],
    [7, "! must be a string"],
    [{ toString: "x" }, "! must be a string"],
  ],
  long_text: [
    ["a\r\nb\n", "a\nb"],
    ["x".repeat(FORM_LIMITS.longTextChars + 1), "! must have at most 100000 characters"],
  ],
  email: [
    ["ada@example.com", "ada@example.com"],
    ["ada+tag@mail.example.co.uk", "ada+tag@mail.example.co.uk"],
    ["ada@example", NOT_EMAIL],
    ["ada@@example.com", NOT_EMAIL],
    ["Ada <ada@example.com>", NOT_EMAIL],
    ["a@b.com\r\nBcc: c@d.com", NOT_EMAIL],
    [`${"x".repeat(250)}@example.com`, NOT_EMAIL],
    [["ada@example.com"], NOT_EMAIL],
  ],
  url: [
    ["https://example.com/a?b=c#d", "https://example.com/a?b=c#d"],
    ["HTTP://example.com", "HTTP://example.com"],
    ["example.com", NOT_URL],
    ["javascript:alert(1)", NOT_URL],
    ["https://", NOT_URL],
    ["https://a b.com", NOT_URL],
  ],
  number: [
    [3.5, 3.5],
    ["-12", -12],
    ["1e3", 1000],
    [0, 0],
    ["0x10", NOT_NUMBER],
    ["1,5", NOT_NUMBER],
    ["1e999", NOT_NUMBER],
    ["twelve", NOT_NUMBER],
    [true, NOT_NUMBER],
  ],
  rating: [
    [1, 1],
    ["5", 5],
    [0, NOT_RATING],
    [6, NOT_RATING],
    [2.5, NOT_RATING],
    ["", null],
  ],
  date: [
    ["2028-02-29", "2028-02-29"],
    ["2026-02-29", NOT_DATE],
    ["31.01.2026", NOT_DATE],
    ["2026-13-01", NOT_DATE],
    ["0000-00-00", NOT_DATE],
  ],
  select: [
    ["red", "Red wine"],
    ["Red wine", NOT_OPTION],
    ["green", NOT_OPTION],
    [["red"], NOT_OPTION],
  ],
  radio: [
    ["white", "White wine"],
    ["__proto__", NOT_OPTION],
  ],
  checkbox: [
    [true, true],
    ["true", true],
    ["on", true],
    [false, false],
    [undefined, false],
    ["maybe", "! must be true or false"],
  ],
  checkbox_group: [
    [["white", "red", "red"], OPTIONS],
    ["red", [OPTIONS[0]]],
    [[], []],
    [undefined, []],
    [["red", "green"], NOT_OPTIONS],
    [[{ value: "red" }], NOT_OPTIONS],
  ],
  file: [
    ["cv.pdf", { name: "cv.pdf", size: null, type: null }],
    ["C:\\fakepath\\cv.pdf", { name: "cv.pdf", size: null, type: null }],
    [
      { name: "../../cv.pdf", size: 12, type: "application/pdf", content: "no" },
      { name: "cv.pdf", size: 12, type: "application/pdf" },
    ],
    [{ name: "cv.pdf", size: -1 }, NOT_FILE],
    [{ size: 1 }, NOT_FILE],
    [["cv.pdf"], NOT_FILE],
  ],
  wallet: [
    [EVM, EVM],
    [EVM.toLowerCase(), EVM.toLowerCase()],
    [EVM.replace("5aA", "5Aa"), EVM.replace("5aA", "5Aa")],
    [{ address: EVM, chainId: 1 }, EVM],
    [SOLANA, SOLANA],
    [`${EVM}0`, NOT_WALLET],
    [`${SOLANA.slice(1)}0`, NOT_WALLET],
    ["1".repeat(31), NOT_WALLET],
    ["1".repeat(45), NOT_WALLET],
    ["ada.eth", NOT_WALLET],
    [{ chainId: 1 }, NOT_WALLET],
    [7, NOT_WALLET],
  ],
  social: [
    ["@ada", "@ada"],
    [{ address: "ada", provider: "x" }, "ada"],
    [{ username: "ada" }, "ada"],
    ["two words", "! must be a handle or profile address of at most 200 characters without blanks"],
    [{}, "! must be a handle or profile address of at most 200 characters without blanks"],
  ],
};

describe("an answer becomes what is kept, or is refused with its reason", () => {
  for (const [type, rows] of Object.entries(TABLE)) {
    for (const [sent, kept] of rows)
      test(`${type}: ${JSON.stringify(sent)?.slice(0, 40)} -> ${JSON.stringify(kept)?.slice(0, 60)}`, () => {
        assert.deepEqual(answer(type as FieldType, sent), kept);
      });
  }

  test("every type that people answer is in the table, and empty is no answer in each", () => {
    const answered = FIELD_TYPES.filter((type) => type !== "heading" && type !== "paragraph");
    assert.deepEqual(Object.keys(TABLE).sort(), [...answered].sort());
    for (const type of answered) {
      const empty = { checkbox: false, checkbox_group: [] }[type as string] ?? null;
      for (const sent of [undefined, null, "", "  "]) assert.deepEqual(answer(type, sent), empty, type);
      const wrong = type === "checkbox" ? "! must be checked" : "! is required";
      for (const sent of [undefined, null, " ", []]) assert.equal(answer(type, sent, true), wrong, type);
    }
    assert.equal(answer("checkbox", false, true), "! must be checked");
  });

  test("all problems come at once", () => {
    const fields = answerFields(
      buildFields(
        [
          { label: "Mail", type: "email" },
          { label: "Age", type: "number" },
          { label: "Name", type: "short_text", required: true },
        ],
        [],
      ),
    );
    const checked = checkAnswers(
      fields,
      new Map<string, unknown>([
        ["mail", "x"],
        ["age", "x"],
      ]),
    );
    assert.deepEqual(checked.ok ? [] : [...checked.problems.keys()], ["mail", "age", "name"]);
  });

  test("answers that are too large together are refused at the longest", () => {
    const drafts = Array.from({ length: 7 }, (_, i) => ({ label: `Text ${i}`, type: "long_text" }));
    const fields = answerFields(buildFields(drafts, []));
    const sent = new Map(fields.map(({ key }, i) => [key, "x".repeat(80_000 + i)]));
    const checked = checkAnswers(fields, sent);
    assert.deepEqual(checked.ok ? [] : [...checked.problems.keys()], ["text_6"]);
  });
});
