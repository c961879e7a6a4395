import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fitPage } from "./page.ts";

describe("a page of large entries", () => {
  test("is the one asked for as long as it fits", () => {
    assert.deepEqual(fitPage({ page: 3, size: 4 }, [1, 2, 3, 4], 10), { page: 3, size: 4 });
    assert.deepEqual(fitPage({ page: 1, size: 50 }, [], 10), { page: 1, size: 50 });
  });

  test("is else a smaller one, and going on from it visits every entry once", () => {
    const entries = Array.from({ length: 97 }, (_, i) => 1 + ((i * 7) % 5));
    for (const asked of [1, 2, 7, 16, 200]) {
      const seen: number[] = [];
      let paging = { page: 1, size: asked };
      for (let answers = 0; answers < 200; answers += 1) {
        const from = (paging.page - 1) * paging.size;
        const fitting = fitPage(paging, entries.slice(from, from + paging.size), 10);
        assert.equal((fitting.page - 1) * fitting.size, from);
        const data = entries.slice(from, from + fitting.size);
        assert.ok(data.reduce((sum, entry) => sum + entry, 0) <= 10);
        seen.push(...data.map((_, i) => from + i));
        if (fitting.page * fitting.size >= entries.length) break;
        paging = { page: fitting.page + 1, size: fitting.size };
      }
      assert.deepEqual(seen, [...entries.keys()]);
    }
  });

  test("holds at least one entry, however large", () => {
    assert.deepEqual(fitPage({ page: 2, size: 3 }, [50, 1, 1], 10), { page: 4, size: 1 });
  });
});
