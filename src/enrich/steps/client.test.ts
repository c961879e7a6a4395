import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EventRow } from "../row.ts";
import { sampleDraft } from "../testing.ts";
import { putClient } from "./client.ts";

const COLUMNS = [
  "user_agent",
  "locale",
  "timezone",
  "library_name",
  "library_version",
] as const satisfies (keyof EventRow)[];

describe("client", () => {
  for (const column of COLUMNS) {
    it(`${column} is taken from the context, bounded, and empty where it is no text`, () => {
      const cases: [given: unknown, text: string][] = [
        [" en-US ", "en-US"],
        [undefined, ""],
        [null, ""],
        [{ a: 1 }, ""],
        [["x"], ""],
      ];
      for (const [given, text] of cases) {
        const draft = sampleDraft({ context: { [column]: given } });
        putClient(draft);
        assert.equal(draft.row[column], text);
      }
      const draft = sampleDraft({ context: { [column]: "x".repeat(100_000) } });
      putClient(draft);
      assert.ok(draft.row[column].length <= 1024);
    });
  }
});
