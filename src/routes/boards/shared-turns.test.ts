import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSharedTurns } from "./shared-turns.ts";

const { signal } = new AbortController();
const links = Array.from({ length: 5 }, (_, nth) => ({ id: `lnk_${nth}`, workspaceId: "w" }));
const later = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("the turns of people with a link", () => {
  for (const [slots, most] of [
    [1, 1],
    [4, 2],
    [9, 4],
  ] as const)
    test(`of ${slots} query slots of a workspace all its links take ${most}, and pass them on`, async () => {
      const turns = createSharedTurns(slots);
      let [running, seen, done] = [0, 0, 0];
      await Promise.all(
        [...links, ...links].map(async (link) => {
          const leave = await turns(link).enter(signal);
          running += 1;
          seen = Math.max(seen, running);
          await later();
          running -= 1;
          done += 1;
          leave();
        }),
      );
      assert.deepEqual([seen, done], [most, 10]);
    });

  test("one link takes two of them, however many there are, and leaves the others to other links", async () => {
    const turns = createSharedTurns(100);
    const [one] = links as [(typeof links)[0]];
    await Promise.all([turns(one).enter(signal), turns(one).enter(signal)]);
    const gone = new AbortController();
    const third = assert.rejects(turns(one).enter(gone.signal), /gone/);
    await turns({ id: "lnk_other", workspaceId: "w" }).enter(signal);
    gone.abort(new Error("gone"));
    await third;
  });

  test("who waits too long is told to try again, and gives the turn of the link back", async () => {
    const turns = createSharedTurns(2, 20);
    const [one, two] = links as [(typeof links)[0], (typeof links)[0]];
    const leave = await turns(one).enter(signal);
    for (let nth = 0; nth < 3; nth += 1)
      await assert.rejects(turns(two).enter(signal), { code: "SERVICE_UNAVAILABLE", headers: { "Retry-After": "2" } });
    leave();
    (await turns(two).enter(signal))();
  });
});
