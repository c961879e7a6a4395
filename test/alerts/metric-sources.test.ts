import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { BOTH_IN_LONG } from "../support/both-engines.ts";
import { type MetricApi, type SentEvent, startMetricApi } from "./metric-api.ts";

const above = (threshold: number) => ({ kind: "above", threshold });
const HOUR = { value: 1, unit: "hours" };
const DAY = { value: 1, unit: "days" };
const kpis = (value: string, params: object = {}) => ({ of: "report", report: "kpis", value, params });
const day = (nth: number) => new Date(Date.UTC(2026, 0, 1 + nth)).toISOString().slice(0, 10);

/** Ten weeks from Thursday 2026-01-01: each day at 10 o'clock two visitors, or three; on the last day nine. */
const LAST = 69;
function history(): SentEvent[] {
  const ofDay = (nth: number) => (nth === LAST ? 9 : 2 + (nth % 7 === LAST % 7 ? Math.floor(nth / 7) % 2 : 0));
  return Array.from({ length: LAST + 1 }, (_, nth) =>
    Array.from({ length: ofDay(nth) }, (_, visitor) => ({
      at: `${day(nth)}T10:${String(10 + visitor)}:00`,
      visitor: `v${visitor}`,
      context: {
        page_url: `https://app.example.com/${visitor}`,
        referrer: visitor === 1 ? "https://news.example/" : "",
      },
    })),
  ).flat();
}

for (const kind of BOTH_IN_LONG)
  describe(`the numbers of metric alerts on ${kind.name}`, { skip: kind.skip }, () => {
    let it: MetricApi;
    before(async () => {
      it = await startMetricApi("sqlite", kind.start);
      // An emulated ClickHouse takes seconds to store a batch.
      await it.store(history().filter(({ at }) => kind.name === "DuckDB" || at.startsWith(day(LAST))));
      await it.store([
        { at: `${day(LAST)}T10:30:00`, visitor: "v0", type: "track", event: "swap", properties: { revenue: 12.5 } },
        { at: `${day(LAST)}T10:31:00`, visitor: "v1", type: "track", event: "swap", properties: { revenue: 0.25 } },
      ]);
    });
    after(() => it.stop());

    /** The value and the state of one evaluation, a few minutes after 11 o'clock, or after midnight. */
    async function evaluateOnce(metric: object, isDay = false) {
      it.setTime(isDay ? `${day(LAST + 1)}T00:05:00` : `${day(LAST)}T11:05:00`);
      const id = await it.create(metric);
      assert.equal(await it.evaluate(), 1);
      const { evaluation, status_reason } = await it.read(id);
      await it.call("DELETE", `/v0/alerts/${id}`);
      return [evaluation.value, evaluation.state, evaluation.reason ?? status_reason];
    }
    async function ask(path: string): Promise<Record<string, number>[]> {
      const { status, body } = await it.call("GET", path);
      assert.equal(status, 200, JSON.stringify(body));
      return body.data;
    }
    const cases = kind.name === "ClickHouse" ? [0] : undefined;
    const onlyOnDuckdb = cases !== undefined && "an emulated ClickHouse takes minutes for them";
    const isAsked = (nth: number) => cases === undefined || cases.includes(nth);

    const HOURS: readonly [string, object, unknown[]][] = [
      ["visitors of kpis", { ...kpis("visitors"), condition: above(8) }, [9, "firing", null]],
      ["revenue of kpis", { ...kpis("revenue"), condition: above(12.75) }, [12.75, "ok", null]],
      [
        "events that match a filter",
        { ...kpis("events", { filters: [{ field: "event", op: "eq", value: "swap" }] }), condition: above(1) },
        [2, "firing", null],
      ],
      ["a rate", { ...kpis("bounce_rate"), condition: { kind: "below", threshold: 0.5 } }, [7 / 9, "ok", null]],
      [
        "a change against the hour before, which had nobody",
        { ...kpis("visitors"), condition: { kind: "changed", percent: 50 } },
        [9, "no_data", "the window to compare with has no number, or 0"],
      ],
      [
        "a change against the week before",
        { ...kpis("visitors"), condition: { kind: "changed", percent: 199, against: "week_before" } },
        [9, "firing", null],
      ],
      ["an unusual number", { ...kpis("visitors"), condition: { kind: "unusual" } }, [9, "firing", null]],
      ["no events", { ...kpis("events"), condition: { kind: "no_data" } }, [11, "ok", null]],
      [
        "no events of a kind",
        {
          ...kpis("events", { filters: [{ field: "event", op: "eq", value: "mint" }] }),
          condition: { kind: "no_data" },
        },
        [0, "firing", null],
      ],
      ["received events", { of: "ingest", value: "received", condition: above(10) }, [11, "firing", null]],
      ["parked events", { of: "ingest", value: "parked_rate", condition: above(0.05) }, [0, "ok", null]],
      ["refused events", { of: "ingest", value: "refused", condition: above(0) }, [0, "ok", null]],
      [
        "SQL about a window",
        {
          of: "sql",
          query:
            "SELECT count() FROM events WHERE event = 'swap' AND timestamp >= {{time_from}} AND timestamp < {{time_to}}",
          condition: above(1),
        },
        [2, "firing", null],
      ],
    ];
    for (const [nth, [name, metric, wanted]] of HOURS.entries())
      if (isAsked(nth))
        test(`${name}, in an hour`, async () =>
          assert.deepEqual(await evaluateOnce({ ...metric, window: HOUR }), wanted));

    test("what was lost of the received events, as numbers, as shares and in a preview", {
      skip: onlyOnDuckdb,
    }, async () => {
      // Of a day that no other test looks at: 12 received, of which 2 are parked and 7 refused.
      await it.lose(`${day(LAST + 2)}T14:20:00`, { parked: 2, refused: 7 });
      await it.store(["a", "b", "c"].map((visitor) => ({ at: `${day(LAST + 2)}T14:30:00`, visitor })));
      const lost = async (value: string, threshold: number) => {
        it.setTime(`${day(LAST + 2)}T15:05:00`);
        const metric = { of: "ingest", value, window: HOUR, condition: above(threshold) };
        const id = await it.create(metric);
        assert.equal(await it.evaluate(), 1);
        const { evaluation } = await it.read(id);
        await it.call("DELETE", `/v0/alerts/${id}`);
        const { body } = await it.call("POST", "/v0/alerts/preview", { trigger_type: "metric", metric });
        const last = body.metric.points.at(-1);
        assert.deepEqual([last.value, last.state], [evaluation.value, evaluation.state], value);
        return [evaluation.value, evaluation.state];
      };
      assert.deepEqual(await lost("received", 11), [12, "firing"]);
      assert.deepEqual(await lost("parked", 2), [2, "ok"]);
      assert.deepEqual(await lost("refused", 6), [7, "firing"]);
      assert.deepEqual(await lost("parked_rate", 0.1), [2 / 12, "firing"]);
      assert.deepEqual(await lost("refused_rate", 0.6), [7 / 12, "ok"]);
      assert.deepEqual(await lost("refused_rate", 0.58), [7 / 12, "firing"]);
    });

    test("days are those of the report, to the last digit", { skip: onlyOnDuckdb }, async () => {
      const days = `date_from=${day(LAST)}&date_to=${day(LAST)}`;
      const [total] = await ask(`/v0/kpis?${days}&interval=all`);
      const once = async (metric: object) =>
        (await evaluateOnce({ ...metric, window: DAY, condition: above(1e9) }, true))[0];
      for (const column of ["visitors", "sessions", "revenue", "avg_session_sec", "bounce_rate"])
        assert.equal(await once(kpis(column)), total?.[column], column);
      const sources = await ask(`/v0/top_sources?${days}`);
      const news = sources.find((row) => (row as Record<string, unknown>).referrer === "news.example");
      const top = { of: "report", report: "top_sources", value: "visitors", row: { referrer: "news.example" } };
      assert.deepEqual([await once(top), news?.visitors], [1, 1]);
      assert.equal(await once({ ...top, row: { referrer: "nobody.example" } }), 0);
      const steps = [
        { type: "event", event: "page" },
        { type: "track", event: "swap" },
      ];
      const funnel = await ask(`/v0/funnel?${days}&steps=${encodeURIComponent(JSON.stringify(steps))}`);
      const conversion = {
        of: "report",
        report: "funnel",
        value: "conversion_from_start",
        params: { steps },
        row: { step: 2 },
      };
      assert.equal(await once(conversion), funnel[1]?.conversion_from_start);
      assert.equal(funnel[1]?.users, 2);
      assert.equal(await once({ of: "report", report: "revenue_overview", value: "revenue" }), 12.75);
      assert.equal(
        await once({
          of: "sql",
          query: "SELECT count() FROM events WHERE toDate(timestamp) BETWEEN {{date_from}} AND {{date_to}}",
        }),
        11,
      );
    });

    test("the number of a saved chart, and of no other project's", { skip: onlyOnDuckdb }, async () => {
      const { body: board } = await it.call("POST", "/v0/boards", { project_id: it.project, title: "Board" });
      const query =
        "SELECT uniqExact(anonymous_id) AS n FROM events WHERE toDate(timestamp) BETWEEN {{date_from}} AND {{date_to}}";
      const chart = { chart_type: "number", title: "Visitors", query };
      const made = await it.call("POST", `/v0/boards/${board.id}/charts`, chart);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const metric = { of: "chart", chart_id: made.body.id, window: DAY, condition: above(8) };
      assert.deepEqual(await evaluateOnce(metric, true), [9, "firing", null]);
      const [value, state, reason] = await evaluateOnce({ ...metric, chart_id: "cht_unknown" }, true);
      assert.deepEqual([value, state, reason], [null, "error", "There is no such chart"]);
    });

    test("learning before four weeks of history", { skip: onlyOnDuckdb }, async () => {
      const metric = { ...kpis("visitors"), window: HOUR, condition: { kind: "unusual" } };
      it.setTime(`${day(21)}T11:05:00`);
      const id = await it.create(metric);
      await it.evaluate();
      const { evaluation } = await it.read(id);
      assert.deepEqual([evaluation.state, evaluation.reason], ["learning", "3 of at least 4 weeks of history"]);
      await it.call("DELETE", `/v0/alerts/${id}`);
    });

    describe("the preview", { skip: onlyOnDuckdb }, () => {
      async function preview(body: object) {
        it.setTime(`${day(LAST)}T11:05:00`);
        const before = it.countStatements();
        const { status, body: answer } = await it.call("POST", "/v0/alerts/preview", {
          project_id: it.project,
          ...body,
        });
        assert.equal(status, 200, JSON.stringify(answer));
        return { ...answer, statements: it.countStatements() - before };
      }

      test("has the numbers of kpis by hour, and the firings of the evaluations, by a few statements", async () => {
        const metric = { ...kpis("visitors"), window: HOUR, condition: above(2) };
        const { metric: found, statements } = await preview({ trigger_type: "metric", metric });
        const hours = await ask(`/v0/kpis?date_from=${day(LAST - 31)}&date_to=${day(LAST)}&interval=hour`);
        const byEnd = new Map(hours.map((row) => [Date.parse(`${row.date}Z`) + 3_600_000, row.visitors]));
        assert.deepEqual([found.evaluations, found.points.length, found.is_cut], [720, 720, false]);
        for (const { time, value, state } of found.points) {
          assert.equal(value, byEnd.get(Date.parse(time)), time);
          assert.equal(state === "firing", Number(value) > 2, time);
        }
        assert.deepEqual(
          found.firings.map(({ from, to, value }: Record<string, unknown>) => [from, to, value]),
          [
            [`${day(41)}T11:00:00.000Z`, `${day(41)}T12:00:00.000Z`, 3],
            [`${day(55)}T11:00:00.000Z`, `${day(55)}T12:00:00.000Z`, 3],
            [`${day(LAST)}T11:00:00.000Z`, null, 9],
          ],
        );
        assert.ok(statements <= 4, `${statements} statements`);
      });

      test("of windows that lie over each other is what evaluations one by one say", async () => {
        const metric = {
          ...kpis("visitors"),
          window: { value: 3, unit: "hours" },
          every: { value: 30, unit: "minutes" },
          condition: { kind: "unusual", direction: "up" },
          pending: 2,
          cool_down_minutes: 60,
        };
        const { metric: found } = await preview({ trigger_type: "metric", metric });
        assert.equal(found.evaluations, 1440);
        assert.ok(found.points.length <= 1000);
        for (const at of ["10:35", "11:05"]) {
          it.setTime(`${day(LAST)}T${at}:00`);
          const id = await it.create({ ...metric, pending: 1 });
          await it.evaluate();
          const { evaluation } = await it.read(id);
          const point = found.points.find(({ time }: { time: string }) => time === evaluation.window_to);
          assert.equal(point?.value, evaluation.value, at);
          assert.ok(point?.upper < 9, JSON.stringify(point));
          await it.call("DELETE", `/v0/alerts/${id}`);
        }
        assert.deepEqual(found.firings.at(-1), {
          from: `${day(LAST)}T11:00:00.000Z`,
          to: null,
          value: 9,
          notified: true,
        });
      });

      test("of a report without a series asks for each day, and not for more than a hundred", async () => {
        const metric = {
          of: "report",
          report: "top_sources",
          value: "visitors",
          row: { referrer: "news.example" },
          window: DAY,
        };
        const { metric: found, statements } = await preview({
          trigger_type: "metric",
          metric: { ...metric, condition: { kind: "unusual" } },
        });
        assert.deepEqual([found.evaluations, found.is_cut, found.firings], [30, false, []]);
        assert.ok(found.points.every(({ value }: { value: number }) => value === 1));
        assert.ok(statements <= 210, `${statements} statements`);
      });

      test("of an event alert counts what meets its conditions, day by day", async () => {
        const filters = [{ field: "event", op: "startsWith", value: "sw" }];
        const { events } = await preview({ trigger_type: "event", trigger_filters: filters });
        assert.deepEqual(
          [events.matches, events.days.length, events.days.at(-1)],
          [2, 30, { date: day(LAST), matches: 2 }],
        );
        const pages = await preview({ trigger_type: "event", trigger_filters: [{ field: "type", value: "page" }] });
        assert.equal(pages.events.days.at(-1).matches, 9);
        const odd = [
          { field: "anonymous_id", op: "notEquals", value: "v0" },
          { field: "type", op: "contains", value: "ag" },
        ];
        const { events: others } = await preview({ trigger_type: "event", trigger_filters: odd });
        assert.equal(others.days.at(-1).matches, 8);
      });

      test("is refused with the name of the field", async () => {
        const { status, body } = await it.call("POST", "/v0/alerts/preview", {
          trigger_type: "metric",
          metric: { ...kpis("tea"), window: HOUR, condition: above(1) },
        });
        assert.equal(status, 400);
        assert.match(JSON.stringify(body), /body\.metric\.value/);
      });
    });
  });
