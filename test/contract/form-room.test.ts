import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { createDiskRoom } from "../../src/lib/disk-room.ts";
import { startApi } from "../support/api.ts";
import { makeForm, sendJson } from "../support/forms.ts";

const LONG = { name: "x".repeat(900) };

describe("429", () => {
  test("a form takes no more bytes in a day than its limit, and other forms go on", async (t) => {
    const api = await startApi("sqlite", { formMbPerDay: 1 });
    t.after(() => api.stop());
    const key = await api.createKey();
    const [full, other] = [await makeForm(api, key), await makeForm(api, key)];
    let taken = 0;
    let refused: Response | undefined;
    // 512 KiB at once: the other half comes over the day.
    while (refused === undefined && taken < 2_000) {
      const answer = await sendJson(api, full.id, LONG);
      if (answer.status === 201) taken += 1;
      else refused = answer;
    }
    assert.equal(refused?.status, 429);
    assert.ok(taken >= 500 && taken <= 530, `${taken} submissions of about 1 KiB were taken`);
    assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
    assert.equal((await sendJson(api, other.id, LONG)).status, 201);
  });
});

describe("503", () => {
  test("submissions are refused while the disk has only its reserve left, and taken again afterwards", async (t) => {
    let hasRoom = false;
    const api = await startApi("sqlite", {}, undefined, { hasDiskRoom: async () => hasRoom });
    t.after(() => api.stop());
    const form = await makeForm(api, await api.createKey());
    assert.equal((await sendJson(api, form.id, { name: "Ada" })).status, 503);
    hasRoom = true;
    assert.equal((await sendJson(api, form.id, { name: "Ada" })).status, 201);
  });

  test("the reserve is compared with what the disk has free", async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "room-"));
    t.after(() => rmSync(dir, { recursive: true }));
    assert.equal(await createDiskRoom(dir, 0)(), true);
    assert.equal(await createDiskRoom(dir, Number.MAX_SAFE_INTEGER)(), false);
  });
});
