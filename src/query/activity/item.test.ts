import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type EventRow, toItem } from "./item.ts";

const ROW: EventRow = {
  at_ms: 1_772_323_200_001,
  event_key: "18446744073709551615",
  received_ms: 1_772_323_200_501,
  project_id: "p",
  session_id: "7",
  type: "page",
  page_path: "/swap",
  channel_type: "Direct",
  revenue: 2.5,
  context_text: "{}",
  properties_text: "{}",
  extra_text: "{}",
};

interface Item {
  [column: string]: unknown;
  omitted: string[];
}

const read = (changes: Record<string, string | number | null>) => JSON.parse(toItem({ ...ROW, ...changes })) as Item;

describe("an event as it is answered", () => {
  test("it has its position as its id, times in ISO 8601, and its own columns", () => {
    const item = read({});
    assert.equal(item.id, "1772323200001-18446744073709551615");
    assert.equal(item.timestamp, "2026-03-01T00:00:00.001Z");
    assert.equal(item.received_at, "2026-03-01T00:00:00.501Z");
    assert.deepEqual([item.page_path, item.revenue, item.session_id], ["/swap", 2.5, "7"]);
  });

  test("amounts of many digits are answered as they were sent", () => {
    const text = toItem({ ...ROW, properties_text: '{ "wei": 123456789012345678901234567890 }' });
    assert.ok(text.includes('"properties":{ "wei": 123456789012345678901234567890 }'));
  });

  test("a body that is too long is left out, and said so", () => {
    const item = read({ context_text: null, extra_text: null });
    assert.deepEqual([item.context, item.properties, item.extra], [null, {}, null]);
    assert.deepEqual(item.omitted, ["context", "extra"]);
  });

  for (const text of ["", "[1]", "null", '{"a":', '"x"'])
    test(`a body that is no object is shown as an empty one: ${text}`, () => {
      assert.deepEqual(read({ context_text: text }).context, {});
    });

  test("columns of the context: of the client, and click ids also of the page's URL", () => {
    const context = { locale: "de", page_url: "https://a.example/x?gclid=g1&fbclid=no", fbclid: "f1", user_agent: 5 };
    const item = read({ context_text: JSON.stringify(context) });
    assert.deepEqual(
      [item.locale, item.page_url, item.gclid, item.fbclid, item.user_agent, item.timezone],
      ["de", context.page_url, "g1", "f1", "", ""],
    );
  });

  test("the URL of a page view may be among its properties", () => {
    const properties_text = '{"url":"https://b.example/"}';
    assert.equal(read({ properties_text }).page_url, "https://b.example/");
    assert.equal(read({ properties_text, type: "track" }).page_url, "");
  });
});
