import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addKey } from "./message-key.ts";
import { createRecentIds } from "./recent-ids.ts";

function openRecent(size?: number) {
  const recent = createRecentIds(size);
  return {
    seen(projectId: string, messageId: string, day: number): boolean {
      const keys: number[] = [];
      const bytes = Buffer.from(messageId);
      addKey(keys, recent.seedOf(projectId), day, bytes, 0, bytes.length);
      return recent.seen(keys[0] as number, keys[1] as number);
    },
  };
}

describe("recently seen message ids", () => {
  test("repeats of any length are recognized; an id of another project, another day or 300,000 new ids is new", () => {
    const recent = openRecent();
    for (const id of ["", "m", "m".repeat(128), "m".repeat(100_000)])
      assert.deepEqual(
        [recent.seen("p", id, 9), recent.seen("p", id, 9), recent.seen("q", id, 9), recent.seen("p", id, 8)],
        [false, true, false, false],
      );
    let wrong = 0;
    for (let i = 0; i < 300_000; i += 1) if (recent.seen(i % 2 === 0 ? "p" : "pr", `${i}`, 9)) wrong += 1;
    assert.equal(wrong, 0);
  });

  test("the latest are kept and the oldest forgotten, so memory is bounded", () => {
    const recent = openRecent(1_000);
    for (let i = 0; i < 5_000; i += 1) recent.seen("p", `m${i}`, 9);
    const known = Array.from({ length: 5_000 }, (_, i) => i).filter((i) => recent.seen("p", `m${4_999 - i}`, 9));
    assert.ok(known.length >= 1_000 && known.length <= 2_000, `${known.length} of 5,000 are known`);
  });
});
