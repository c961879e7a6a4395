import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sampleDraft } from "../testing.ts";
import { normalAddress, putIdentity } from "./identity.ts";

const CHECKSUMMED = "0x52908400098527886E0F7030069857D2E4169EE7";

describe("identity", () => {
  const addresses: [given: string, normal: string][] = [
    [CHECKSUMMED, CHECKSUMMED.toLowerCase()],
    [CHECKSUMMED.replace("0x", "0X"), CHECKSUMMED.toLowerCase()],
    ["7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV", "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"],
    ["0xABC", "0xABC"],
    ["", ""],
  ];
  for (const [given, normal] of addresses) {
    it(`address ${given || "(empty)"} is stored as ${normal || "(empty)"} beside the original`, () => {
      const draft = sampleDraft({ raw: { address: given } });
      putIdentity(draft);
      assert.equal(normalAddress(given), normal);
      assert.equal(draft.row.address, normal);
      assert.equal(draft.row.address_raw, given);
    });
  }

  for (const message_id of [undefined, null, "", {}, []]) {
    it(`message_id ${JSON.stringify(message_id)} parks the event`, () => {
      assert.equal(putIdentity(sampleDraft({ raw: { message_id } }))?.why, "no_message_id");
    });
  }

  it("two overlong ids that differ only at the end stay two ids", () => {
    const ids = ["x", "y"].map((end) => {
      const draft = sampleDraft({
        raw: { message_id: "m".repeat(100_000) + end, anonymous_id: "a".repeat(600) + end },
      });
      putIdentity(draft);
      assert.ok(draft.row.message_id.length <= 128 && draft.row.anonymous_id.length <= 128);
      return `${draft.row.message_id} ${draft.row.anonymous_id}`;
    });
    assert.notEqual(ids[0], ids[1]);
  });

  it("lone surrogates are replaced, because one would make the engine refuse the whole batch", () => {
    const draft = sampleDraft({ raw: { user_id: "a\ud800b", event: "\udfff" } });
    putIdentity(draft);
    assert.equal(draft.row.user_id, "a\ufffdb");
    assert.equal(draft.row.event, "\ufffd");
  });
});
