import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRandom, generateEvents, generateQuery } from "./generate.ts";
import { answer, type OracleEvent, type OracleQuery } from "./oracle.ts";

const DAY = "2026-03-10";
const NEXT = "2026-03-11";
const EVM = `0x${"ab".repeat(20)}`;

type Change = Omit<Partial<OracleEvent>, "timestamp"> & { at?: string };
type Rows = Record<string, string | number>[];

interface Case {
  name: string;
  events: OracleEvent[];
  query: Partial<OracleQuery>;
  rows: Rows;
}

let made = 0;

/** A page of visitor v in project p at noon, without any context. */
function event({ at = `${DAY}T12:00:00.000Z`, ...change }: Change): OracleEvent {
  made += 1;
  const timestamp = Date.parse(at);
  return {
    project_id: "p",
    day: DAY,
    message_id: `m${String(made).padStart(4, "0")}`,
    timestamp,
    received_at: timestamp + made,
    type: "page",
    event: "",
    anonymous_id: "v",
    user_id: "",
    address: "",
    session_id: "",
    origin: "",
    pathname: "",
    referrer: "",
    referrer_url: "",
    ref: "",
    utm_source: "",
    utm_medium: "",
    utm_campaign: "",
    utm_term: "",
    utm_content: "",
    device: "",
    browser: "",
    os: "",
    location: "",
    rdns: "",
    provider_name: "",
    chain_id: "",
    builder_codes: "",
    acquisition: "Direct",
    paid_source: "",
    click_id: "",
    has_touch: 0,
    volume: 0,
    revenue: 0,
    points: 0,
    ...change,
  };
}

function ask(query: Partial<OracleQuery>): OracleQuery {
  return { report: "top_sources", projects: ["p"], from: DAY, to: NEXT, filters: [], limit: 50, offset: 0, ...query };
}

function source(referrer: string, hits: number, sessions: number, visitors: number, project_id = "p"): Rows[number] {
  return { project_id, referrer, hits, sessions, visitors };
}

function chain(chain_id: string, sessions: number, visitors: number, project_id = "p"): Rows[number] {
  return { project_id, chain_id, sessions, visitors };
}

function runTable(cases: Case[]): void {
  for (const { name, events, query, rows } of cases) {
    test(name, () => {
      for (const order of [events, events.toReversed()]) assert.deepEqual(answer(order, ask(query)).rows, rows);
    });
  }
}

describe("copies, days, sessions and first touch", () => {
  runTable([
    {
      name: "of copies the one received first counts, with its own time and contents",
      events: [
        event({ message_id: "x", received_at: 20, referrer: "late.example", at: `${NEXT}T00:00:00Z` }),
        event({ message_id: "x", received_at: 10, referrer: "first.example" }),
      ],
      query: {},
      rows: [source("first.example", 1, 1, 1)],
    },
    {
      name: "one message on two client days or in two projects is several events",
      events: [
        event({ message_id: "x" }),
        event({ message_id: "x", day: NEXT }),
        event({ message_id: "x", project_id: "q" }),
      ],
      query: { projects: ["q", "p"] },
      rows: [source("Direct", 2, 1, 1, "p"), source("Direct", 1, 1, 1, "q")],
    },
    {
      name: "both ends of the window are whole UTC days of the timestamp, whatever the client's day says",
      events: [
        event({ at: "2026-03-09T23:59:59.999Z" }),
        event({ at: `${DAY}T00:00:00.000Z`, day: "2001-01-01" }),
        event({ at: `${NEXT}T23:59:59.999Z` }),
        event({ at: "2026-03-12T00:00:00.000Z" }),
      ],
      query: {},
      rows: [source("Direct", 2, 2, 1)],
    },
    {
      name: "a client session counts once on each of its days and may hold two visitors",
      events: [
        event({ session_id: "s", at: `${DAY}T23:59:59.999Z` }),
        event({ session_id: "s", at: `${NEXT}T00:00:00.000Z`, anonymous_id: "w" }),
        event({ session_id: "s", at: `${NEXT}T00:00:00.001Z` }),
      ],
      query: {},
      rows: [source("Direct", 3, 2, 2)],
    },
    {
      name: "the visitor is the anonymous id, else the user id, else the address",
      events: [
        event({ anonymous_id: "a", user_id: "u", address: EVM }),
        event({ anonymous_id: "", user_id: "u", address: EVM }),
        event({ anonymous_id: "", user_id: "a" }),
        event({ anonymous_id: "", address: EVM }),
      ],
      query: {},
      rows: [source("Direct", 4, 3, 3)],
    },
    {
      name: "a session named like a visitor is another session than the visitor's own",
      events: [event({ session_id: "v" }), event({})],
      query: {},
      rows: [source("Direct", 2, 2, 1)],
    },
    {
      name: "the first touch is the earliest event with a touch, even after one without",
      events: [
        event({ at: `${DAY}T01:00:00Z`, referrer: "untouched.example", type: "track" }),
        event({ at: `${DAY}T03:00:00Z`, referrer: "second.example", has_touch: 1 }),
        event({ at: `${DAY}T02:00:00Z`, referrer: "first.example", has_touch: 1 }),
      ],
      query: {},
      rows: [source("first.example", 2, 1, 1)],
    },
    {
      name: "without any touch the earliest event is the first touch",
      events: [
        event({ at: `${DAY}T02:00:00Z`, referrer: "second.example" }),
        event({ at: `${DAY}T01:00:00Z`, referrer: "first.example" }),
      ],
      query: {},
      rows: [source("first.example", 2, 1, 1)],
    },
    {
      name: "at equal times the smaller message id in UTF-8 bytes wins",
      events: [
        event({ message_id: "😀", referrer: "emoji.example", has_touch: 1 }),
        event({ message_id: "！", referrer: "wide.example", has_touch: 1 }),
      ],
      query: {},
      rows: [source("wide.example", 2, 1, 1)],
    },
  ]);
});

describe("top_sources and top_chains", () => {
  const visits = [
    event({ anonymous_id: "a", referrer: "x.com", device: "bot", chain_id: "1", pathname: "/swap" }),
    event({ anonymous_id: "a", type: "track", event: "Swap", chain_id: "10", at: `${DAY}T13:00:00Z` }),
    event({ anonymous_id: "b", referrer: "x.com", device: "desktop", chain_id: "10", type: "track" }),
    event({ anonymous_id: "c", acquisition: "Email", utm_medium: "email", pathname: "/home" }),
    event({ anonymous_id: "d", referrer: "Direct" }),
  ];
  const byMedium = { project_id: "p", hits: 0, sessions: 0, visitors: 0 };
  runTable([
    {
      name: "an empty referrer and the text Direct are one row",
      events: visits,
      query: {},
      rows: [source("Direct", 2, 2, 2), source("x.com", 1, 2, 2)],
    },
    {
      name: "other empty values stay empty",
      events: visits,
      query: { metric_column: "utm_medium" },
      rows: [
        { ...byMedium, utm_medium: "", hits: 2, sessions: 3, visitors: 3 },
        { ...byMedium, utm_medium: "email", hits: 1, sessions: 1, visitors: 1 },
      ],
    },
    {
      name: "channel means the acquisition channel",
      events: visits,
      query: { metric_column: "channel", filters: [{ field: "channel", op: "neq", value: "Direct" }] },
      rows: [{ ...byMedium, channel: "Email", hits: 1, sessions: 1, visitors: 1 }],
    },
    {
      name: "event conditions must meet in one event of the session, which then counts whole",
      events: visits,
      query: {
        filters: [
          { field: "event", op: "equals", value: "Swap" },
          { field: "chain_id", op: "in", value: "10" },
        ],
      },
      rows: [source("x.com", 1, 1, 1)],
    },
    {
      name: "event conditions met by different events of a session do not keep it",
      events: visits,
      query: {
        filters: [
          { field: "event", op: "equals", value: "Swap" },
          { field: "page", op: "equals", value: "/swap" },
        ],
      },
      rows: [],
    },
    {
      name: "bots are left out only where the project says so",
      events: [...visits, event({ project_id: "q", device: "bot" })],
      query: { projects: ["p", "q"], excludeBots: ["p"] },
      rows: [source("Direct", 2, 2, 2, "p"), source("Direct", 1, 1, 1, "q"), source("x.com", 0, 1, 1)],
    },
    {
      name: "chains count sessions and visitors of the events that carry one",
      events: visits,
      query: { report: "top_chains" },
      rows: [chain("10", 2, 2), chain("1", 1, 1)],
    },
    {
      name: "chains test event fields on the counted event, session fields on the first touch",
      events: visits,
      query: {
        report: "top_chains",
        filters: [
          { field: "type", op: "eq", value: "track" },
          { field: "device", op: "eq", value: "bot" },
        ],
      },
      rows: [chain("10", 1, 1)],
    },
    {
      name: "chains leave out the whole session of a bot",
      events: visits,
      query: { report: "top_chains", excludeBots: ["p"] },
      rows: [chain("10", 1, 1)],
    },
    {
      name: "ties go by sessions, hits, value in bytes and project",
      events: [
        event({ anonymous_id: "a", referrer: "two-hits.example" }),
        event({ anonymous_id: "a", at: `${DAY}T13:00:00Z` }),
        event({ anonymous_id: "b", referrer: "two-sessions.example" }),
        event({ anonymous_id: "b", referrer: "two-sessions.example", at: `${NEXT}T12:00:00Z` }),
        event({ anonymous_id: "c", referrer: "😀" }),
        event({ anonymous_id: "d", referrer: "！" }),
        event({ anonymous_id: "e", referrer: "Z" }),
        event({ anonymous_id: "f", referrer: "a", project_id: "q" }),
        event({ anonymous_id: "g", referrer: "a" }),
      ],
      query: { projects: ["q", "p"] },
      rows: [
        source("two-sessions.example", 2, 2, 1),
        source("two-hits.example", 2, 1, 1),
        source("Z", 1, 1, 1),
        source("a", 1, 1, 1),
        source("a", 1, 1, 1, "q"),
        source("！", 1, 1, 1),
        source("😀", 1, 1, 1),
      ],
    },
  ]);
});

describe("revenue_by_metric", () => {
  const touch = event({
    has_touch: 1,
    referrer: "t.co",
    acquisition: "Organic Social",
    origin: "app.example",
    device: "bot",
    chain_id: "1",
    pathname: "/start",
    event: "First",
    referrer_url: "https://t.co/",
    utm_term: "dao",
  });
  const at = `${DAY}T13:00:00Z`;
  const bare = event({ at, revenue: 0.1, type: "track" });
  const own = event({ at, revenue: 0.2, ref: "bob", device: "desktop", referrer_url: "https://own.example/" });
  const classified = event({ at, revenue: 0.4, acquisition: "AI", pathname: "/buy", chain_id: "10" });
  const urlOnly = event({ at, revenue: 0.8, referrer_url: "https://ignored.example/", event: "Buy" });
  const events = [touch, bare, own, classified, urlOnly];

  const table: [column: string, sums: [value: string, sum: number][]][] = [
    [
      "referrer",
      [
        ["t.co", 0.9],
        ["Direct", 0.6],
      ],
    ],
    [
      "referrer_url",
      [
        ["https://t.co/", 0.9],
        ["", 0.4],
        ["https://own.example/", 0.2],
      ],
    ],
    [
      "ref",
      [
        ["", 1.3],
        ["bob", 0.2],
      ],
    ],
    [
      "utm_term",
      [
        ["dao", 0.9],
        ["", 0.6],
      ],
    ],
    [
      "channel",
      [
        ["Organic Social", 0.9],
        ["AI", 0.4],
        ["Direct", 0.2],
      ],
    ],
    [
      "origin",
      [
        ["app.example", 0.9],
        ["", 0.6],
      ],
    ],
    [
      "pathname",
      [
        ["/start", 0.9],
        ["/buy", 0.4],
        ["", 0.2],
      ],
    ],
    [
      "device",
      [
        ["bot", 1.3],
        ["desktop", 0.2],
      ],
    ],
    [
      "chain_id",
      [
        ["1", 1.1],
        ["10", 0.4],
      ],
    ],
    [
      "event",
      [
        ["Buy", 0.8],
        ["", 0.7],
      ],
    ],
  ];
  for (const [column, sums] of table) {
    test(`${column} of an event is resolved against its first touch`, () => {
      const { rows } = answer(events, ask({ report: "revenue_by_metric", metric_column: column }));
      assert.deepEqual(
        rows,
        sums.map(([value, sum_revenue]) => ({ project_id: "p", [column]: value, sum_revenue })),
      );
    });
  }

  const report = { report: "revenue_by_metric", metric_column: "event" } as const;
  const sum = (value: string, sum_revenue: number): Rows[number] => ({ project_id: "p", event: value, sum_revenue });
  runTable([
    {
      name: "bots are left out by the resolved device",
      events,
      query: { ...report, excludeBots: ["p"] },
      rows: [sum("", 0.2)],
    },
    {
      name: "session fields are tested on the resolved value",
      events,
      query: { ...report, filters: [{ field: "referrer", op: "eq", value: "Direct" }] },
      rows: [sum("", 0.6)],
    },
    {
      name: "event fields are tested on the event's own value",
      events,
      query: { ...report, filters: [{ field: "chain_id", op: "isEmpty" }] },
      rows: [sum("Buy", 0.8), sum("", 0.3)],
    },
    {
      name: "sums are exact decimals, and refunds that cancel out leave a row of 0",
      events: [
        ...[0.1, 0.2, 0.3, -0.6].map((revenue) => event({ revenue, event: "zero" })),
        ...[100_000.0001, -0.5].map((revenue) => event({ revenue, event: "some" })),
        event({ revenue: -3.25, event: "refund" }),
        event({ revenue: 0, event: "free" }),
      ],
      query: report,
      rows: [sum("some", 99_999.5001), sum("zero", 0), sum("refund", -3.25)],
    },
  ]);
});

describe("filters", () => {
  const stored = ["", "Direct", "google.com", "Google.com", "a|b", "a", "50%_x", "ЖУК", "10"];
  const events = stored.map((referrer, number) => event({ anonymous_id: `v${number}`, referrer, revenue: number }));
  const table: [op: string, value: OracleQuery["filters"][number]["value"], found: string[]][] = [
    ["equals", "google.com", ["google.com"]],
    ["eq", "Direct", [""]],
    ["eq", "", [""]],
    ["eq", 10, ["10"]],
    ["neq", "Direct", stored.slice(1)],
    ["notEquals", "a", stored.filter((value) => value !== "a")],
    ["in", "a|b|Direct", ["", "a"]],
    ["in", ["a", 10], ["a", "10"]],
    ["in", 10, ["10"]],
    ["nin", "|Google.com|a", ["Direct", "google.com", "a|b", "50%_x", "ЖУК", "10"]],
    ["notIn", ["Direct", "10"], stored.slice(1, -1)],
    ["includes", "GOOGLE", ["google.com", "Google.com"]],
    ["contains", "%", ["50%_x"]],
    ["contains", "direct", ["Direct"]],
    ["startsWith", "жу", ["ЖУК"]],
    ["startsWith", 1, ["10"]],
    ["endsWith", "_X", ["50%_x"]],
    ["endsWith", "", stored],
    ["isEmpty", undefined, [""]],
    ["notEmpty", undefined, stored.slice(1)],
  ];
  for (const [op, value, found] of table) {
    test(`referrer ${op} ${JSON.stringify(value)}`, () => {
      const filters = [value === undefined ? { field: "referrer", op } : { field: "referrer", op, value }];
      const { rowsBeforeLimit, rows } = answer(events, ask({ metric_column: "referrer", filters }));
      const shown = new Set(found.map((text) => text || "Direct"));
      assert.equal(rowsBeforeLimit, shown.size);
      assert.deepEqual(new Set(rows.map((row) => row.referrer)), shown);
      assert.equal(
        rows.reduce((total, row) => total + Number(row.sessions), 0),
        found.length,
      );
    });
  }

  const numbers: [op: string, value: string | number | (string | number)[], found: number][] = [
    ["eq", 2, 1],
    ["equals", "2.0", 1],
    ["neq", 2, 8],
    ["gt", "6", 2],
    ["greaterOrEqual", 6, 3],
    // An event without revenue has none to compare.
    ["less", 0.5, 0],
    ["lte", 1, 1],
    ["in", "1|2|2.5", 2],
    ["in", [0, "8"], 2],
    ["notIn", "0|1", 7],
  ];
  for (const [op, value, found] of numbers) {
    test(`revenue ${op} ${JSON.stringify(value)}`, () => {
      const { rows } = answer(events, ask({ metric_column: "os", filters: [{ field: "revenue", op, value }] }));
      assert.equal(rows[0]?.sessions ?? 0, found);
    });
  }

  test("an EVM address matches in any case, other addresses only exactly", () => {
    const wallets = [event({ address: EVM }), event({ anonymous_id: "w", address: "SoLana" })];
    const count = (value: string): number =>
      answer(wallets, ask({ filters: [{ field: "address", op: "in", value }] })).rowsBeforeLimit;
    assert.deepEqual([`0x${"AB".repeat(20)}`, EVM, "SoLana", "solana"].map(count), [1, 1, 1, 0]);
  });

  test("a query that the definitions do not cover throws", () => {
    const asked = [
      { field: "nope", op: "eq", value: 1 },
      { field: "os", op: "gt", value: 1 },
      { field: "os", op: "eq" },
      { field: "revenue", op: "includes", value: 1 },
      { field: "revenue", op: "eq", value: "x" },
    ];
    for (const filter of asked) assert.throws(() => answer(events, ask({ filters: [filter] })), JSON.stringify(filter));
  });
});

describe("shape of the answer", () => {
  const events = ["a", "b", "c"].map((referrer) => event({ anonymous_id: referrer, referrer, revenue: 1 }));

  test("limit and offset select ordered rows and do not change the count", () => {
    const page = answer(events, ask({ limit: 1, offset: 1 }));
    assert.deepEqual(page.rows, [source("b", 1, 1, 1)]);
    assert.equal(page.rowsBeforeLimit, 3);
    assert.deepEqual(answer(events, ask({ offset: 3 })), { ...page, rows: [] });
  });

  const table: [query: Partial<OracleQuery>, columns: string, rows: number][] = [
    [{}, "project_id referrer hits sessions visitors", 3],
    [{ metric_column: "os" }, "project_id os hits sessions visitors", 1],
    [{ metric_column: "pathname" }, "project_id metric_value hits sessions visitors", 0],
    [{ metric_column: "__proto__" }, "project_id metric_value hits sessions visitors", 0],
    [{ report: "top_chains" }, "project_id chain_id sessions visitors", 0],
    [{ report: "revenue_by_metric", metric_column: "pathname" }, "project_id pathname sum_revenue", 1],
    [{ report: "revenue_by_metric", metric_column: "nope" }, "project_id metric_value sum_revenue", 0],
  ];
  for (const [query, columns, count] of table) {
    test(`${JSON.stringify(query)} has the columns ${columns}`, () => {
      const { columns: named, rows, rowsBeforeLimit } = answer(events, ask(query));
      assert.equal(named.join(" "), columns);
      assert.equal(rowsBeforeLimit, count);
      for (const row of rows) assert.deepEqual(Object.keys(row), named);
    });
  }
});

describe("generated cases", () => {
  const projects = ["p1", "p2", "проект"];
  const days = ["2026-02-27", "2026-02-28", "2026-03-01"];
  const random = createRandom(7);
  const events = generateEvents(random, { projects, days, count: 800 });
  const queries = Array.from({ length: 8_000 }, () => generateQuery(random, { projects, days, events }));

  test("a seed always yields the same events and queries", () => {
    const again = createRandom(7);
    assert.deepEqual(generateEvents(again, { projects, days, count: 800 }), events);
    assert.deepEqual(generateQuery(again, { projects, days, events }), queries[0]);
    assert.equal(events.length, 800);
  });

  test("no answer depends on the order of events", () => {
    const reversed = events.toReversed();
    let full = 0;
    for (const query of queries.slice(0, 400)) {
      const found = answer(events, query);
      assert.deepEqual(answer(reversed, query), found);
      if (found.rowsBeforeLimit > 0) full += 1;
    }
    assert.ok(full > 200, `only ${full} of 400 answers have rows`);
  });

  test("events avoid cases that the definitions leave undecided", () => {
    const received = new Set(
      events.map((one) => JSON.stringify([one.project_id, one.day, one.message_id, one.received_at])),
    );
    assert.equal(received.size, events.length, "copies differ in received_at");
    const visitors = new Set(events.map((one) => one.anonymous_id || one.user_id || one.address));
    assert.ok(!visitors.has("") && events.every((one) => !visitors.has(one.session_id)));
    for (const one of events) {
      assert.ok(Math.abs(one.revenue) < 1e6 && Math.round(one.revenue * 1e4) / 1e4 === one.revenue);
      if (/^0x[0-9a-f]{40}$/i.test(one.address)) assert.equal(one.address, one.address.toLowerCase());
    }
  });

  test("queries cover every report, column, filter field and operator", () => {
    const metrics = new Set(queries.map(({ report, metric_column }) => `${report} ${metric_column}`));
    const all = new Set(queries.flatMap((query) => query.filters.map(({ field, op }) => `${field} ${op}`)));
    const ofProperties = new Set([...all].flatMap((pair) => /^properties\..* (\w+)$/s.exec(pair)?.[1] ?? []));
    const filters = new Set([...all].filter((pair) => !pair.startsWith("properties.")));
    const fields = new Set([...filters].map((pair) => pair.split(" ")[0]));
    assert.equal([...metrics].filter((metric) => metric.startsWith("top_sources")).length, 14 + 1 + 14);
    assert.equal([...metrics].filter((metric) => metric.startsWith("revenue_by_metric")).length, 21 + 9);
    assert.equal(fields.size, 23);
    assert.equal(filters.size, 20 * 13 + 3 * 15);
    // Those of texts, and the sizes of numbers.
    assert.equal(ofProperties.size, new Set([...filters].map((pair) => pair.split(" ")[1])).size);
  });
});
