import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { whyNoProc } from "../support/platform.ts";
import { waitFor } from "../support/wait.ts";
import { connect, disconnect, type Sample, slopePerHour, startLoaded } from "./soak.ts";

describe("what a service holds open", () => {
  test("is after a burst of every kind of request what it was before", {
    skip: whyNoProc() ?? false,
    timeout: 300_000,
  }, async (t) => {
    const loaded = await startLoaded();
    t.after(() => loaded.stop());
    const count = () => loaded.usage().service.descriptors + loaded.usage().engine.descriptors;
    let number = 0;
    const burst = async (clients: number, rounds: number) => {
      const connections = connect(loaded, clients);
      let most = 0;
      const client = async () => {
        for (let round = 0; round < rounds; round += 1) {
          number += 1;
          await loaded.sendEach(connections, number);
          most = Math.max(most, count());
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
      await disconnect(connections);
      const sent = number;
      await waitFor("every delivery", () => loaded.target.received.length >= sent, 90_000);
      return most;
    };
    // The first one also opens the connections to the engine, which stay for a minute.
    await burst(30, 1);
    const before = await settled(count);
    const most = await burst(30, 2);
    t.diagnostic(`${before} before, at most ${most}`);
    assert.ok(most > before + 20, "the burst was one");
    await waitFor(`no more than ${before} descriptors`, () => count() <= before, 90_000);
  });

  test("is told as a slope per hour, without the first third", () => {
    const usage = (descriptors: number) => ({ rssMb: 100, descriptors });
    const samples: Sample[] = Array.from({ length: 30 }, (_, i) => ({
      ...{ minutes: i, service: usage(i < 10 ? 500 : i), engine: usage(7) },
    }));
    assert.equal(Math.round(slopePerHour(samples, ({ service }) => service.descriptors)), 60);
    assert.equal(
      slopePerHour(samples, ({ engine }) => engine.descriptors),
      0,
    );
  });
});

/** The same for two seconds. */
async function settled(count: () => number): Promise<number> {
  let [last, since] = [count(), performance.now()];
  return waitFor(
    "the number of descriptors to stay",
    () => {
      const now = count();
      if (now !== last) [last, since] = [now, performance.now()];
      return performance.now() - since > 2_000 && now;
    },
    90_000,
  );
}
