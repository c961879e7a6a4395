import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createTellings } from "../../src/alerts/preview-wallets.ts";
import { createRandom } from "../../src/demo/random.ts";
import { SEED } from "../../src/lib/testing.ts";
import { BOTH_IN_LONG } from "../support/both-engines.ts";
import { type MetricApi, startMetricApi } from "./metric-api.ts";

const HOUR = 3_600_000;
const RICH = `0x${"a".repeat(40)}`;
const POOR = `0x${"b".repeat(40)}`;

for (const kind of BOTH_IN_LONG)
  describe(`the preview of a user alert on ${kind.name}`, { skip: kind.skip }, () => {
    let it: MetricApi;
    before(async () => {
      it = await startMetricApi("sqlite", kind.start);
      const swap = (at: string, address: string, revenue: number, more: object = {}) => ({
        ...{ at, visitor: `v${address.slice(0, 4)}`, address, type: "track", event: "swap", properties: { revenue } },
        ...more,
      });
      await it.store([
        swap("2026-03-01T22:30:00", RICH, 60),
        swap("2026-03-02T10:00:00", RICH, 60),
        swap("2026-03-02T22:29:59", RICH, 1),
        swap("2026-03-02T22:30:00", RICH, 1),
        swap("2026-03-05T08:00:00", RICH, 1),
        swap("2026-03-05T09:00:00", POOR, 5),
        swap("2026-03-06T09:00:00", POOR, 5, { channel: "import" }),
      ]);
      it.setTime("2026-03-10T12:00:00");
    });
    after(() => it.stop());

    const preview = async (more: object) => {
      const { status, body } = await it.call("POST", "/v0/alerts/preview", {
        trigger_type: "user",
        trigger_filters: [{ field: "revenue", op: "gte", value: "100" }],
        ...more,
      });
      assert.equal(status, 200, JSON.stringify(body));
      assert.deepEqual([body.metric, body.events], [null, null]);
      const days = body.wallets.days.filter(({ matches }: { matches: number }) => matches > 0);
      return { ...body.wallets, days: days.map((day: { date: string; matches: number }) => [day.date, day.matches]) };
    };

    test("tells a wallet with its first event and then after 24 hours, by what its profile is now", async () => {
      assert.deepEqual(await preview({}), {
        ...{ matches: 3, wallets: 1, looked_at: 2, is_cut: false },
        days: [
          ["2026-03-01", 1],
          ["2026-03-02", 1],
          ["2026-03-05", 1],
        ],
      });
    });

    const isLong = kind.name === "ClickHouse" && "an emulated ClickHouse takes a minute for each look back";
    test("counts imported history where it is asked to, and days of the project's time zone", {
      skip: isLong,
    }, async () => {
      const all = { trigger_filters: [] };
      assert.deepEqual((await preview(all)).matches, 4);
      assert.deepEqual((await preview({ ...all, include_imported: true })).matches, 5);
      await it.api.store.write((tx) =>
        tx.updateTable("projects").set({ timezone: "Asia/Tokyo" }).where("id", "=", it.project).execute(),
      );
      assert.deepEqual((await preview({})).days, [
        ["2026-03-02", 1],
        ["2026-03-03", 1],
        ["2026-03-05", 1],
      ]);
    });
  });

test("the moments at which wallets are told are those of the definition, in 500 generated histories", () => {
  const random = createRandom(SEED);
  for (let round = 0; round < 500; round += 1) {
    const moments = Array.from(
      { length: random.int(40) },
      () => [`w${random.int(3)}`, random.int(120) * HOUR] as const,
    );
    // Told when no telling of the wallet lies within the 24 hours before.
    const wanted: (readonly [string, number])[] = [];
    for (const [wallet, ms] of [...new Set(moments.map((one) => one.join(" ")))]
      .map((text) => [text.split(" ")[0] ?? "", Number(text.split(" ")[1])] as const)
      .sort(([, a], [, b]) => a - b))
      if (!wanted.some(([other, at]) => other === wallet && ms - at < 24 * HOUR)) wanted.push([wallet, ms]);
    const isTold = createTellings();
    const sorted = moments.toSorted(([, one], [, other]) => one - other);
    assert.deepEqual(
      sorted.filter(([wallet, ms]) => isTold(wallet, ms)).map(([, ms]) => ms),
      wanted.map(([, ms]) => ms),
      `seed ${SEED}, round ${round}`,
    );
  }
});
