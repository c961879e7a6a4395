/** Users' statements on ClickHouse: what is sent, and what is made of its answer. Others execute them. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { createRunUserQuery } from "../../../src/engines/clickhouse/user-sql/run.ts";
import { EngineBusy, EngineRefused } from "../../../src/engines/failures.ts";
import { FUNCTIONS } from "../../../src/engines/user-sql/functions.ts";
import { StatementRefused } from "../../../src/engines/user-sql/statement-refused.ts";
import type { UserQuery } from "../../../src/engines/user-sql/user-query.ts";
import { sampled } from "../../../src/lib/testing.ts";
import { BOMBS, readAttacks } from "../../support/sql-attacks.ts";

const RELATIONS: Parameters<typeof createRunUserQuery>[1] = {
  forReport: async () => ({
    ctes: [
      { name: "events", sql: "SELECT * FROM events_rows FINAL WHERE project_id IN {scope_projects:Array(String)}" },
      { name: "sessions", sql: "SELECT * FROM session_rows WHERE project_id IN {scope_projects:Array(String)}" },
    ],
    params: { scope_projects: ["prj_own"] },
    reads: { projects: ["prj_own"], lastDay: "" },
  }),
};

interface Sent {
  sql: string;
  settings: Record<string, string | number>;
}

/** Answers every statement with the same bytes, and counts with 7. */
function start(bytes: string | Error, relations = RELATIONS) {
  const sent: Sent[] = [];
  const clickhouse = {
    stream: async (sql: string, { settings }: { settings: Sent["settings"] }) => {
      sent.push({ sql, settings });
      if (bytes instanceof Error) throw bytes;
      return Readable.from(bytes === "" ? [] : [bytes], { objectMode: false });
    },
    select: async (sql: string, { settings }: { settings: Sent["settings"] }) => {
      sent.push({ sql, settings });
      return { rows: [{ "count()": 7 }], statistics: { elapsed: 0, rows_read: 0, bytes_read: 0 } };
    },
  } as unknown as Parameters<typeof createRunUserQuery>[0];
  const run = createRunUserQuery(clickhouse, relations);
  const ask = async (sql: string, format: UserQuery["format"] = "json", more: Partial<UserQuery> = {}) => {
    const query = {
      sql,
      workspaceId: "w",
      project: { id: "prj_own", firstDay: "2026-01-01" },
      format,
      timeoutMs: 5_000,
      ...more,
    };
    return text(await run(query, new AbortController().signal));
  };
  return { ask, sent };
}

/** The statement without what is inside of quotes. */
function withoutQuoted(sql: string): string {
  return sql.replaceAll(/'(?:\\.|[^'\\])*'/g, "''").replaceAll(/`(?:\\.|[^`\\])*`/g, "x");
}

/** Calls of every function with one to three arguments, which are texts; of aggregates also with filters and OVER. */
function callsWith(texts: readonly string[], filter: string): string[] {
  const condition = `event = '${filter}'`;
  return FUNCTIONS.flatMap(({ name, kind }) =>
    [1, 2, 3].flatMap((count) => {
      const given = Array.from({ length: count }, (_, n) => `'${texts[n % texts.length]}'`).join(", ");
      if (kind === "scalar") return [`${name}(${given})`];
      const level = count === 2 ? [`${name}('${texts[0]}', 0.5) FILTER (WHERE ${condition})`] : [];
      const called = [`${name}(${given}) FILTER (WHERE ${condition})`, `${name}If(${given}, ${condition})`];
      return [...level, ...called, `${called[0]} OVER (PARTITION BY '${texts[0]}')`];
    }),
  );
}

describe("a statement for ClickHouse", () => {
  test("reads the relations of the project, with the names and functions of ClickHouse", async () => {
    const { ask, sent } = start("");
    await ask(
      "SELECT toDate(timestamp) AS day, uniqIf(address, type = 'page') AS n FROM events WHERE event LIKE 'a%' GROUP BY day ORDER BY n DESC LIMIT 5",
    );
    assert.equal(
      sent[0]?.sql,
      "SELECT toDate(`timestamp`) AS `day`, toInt64(count(DISTINCT `address`) FILTER (WHERE (`type` = 'page'))) AS `n` FROM " +
        "(SELECT `our e`.`type` AS `type`, `our e`.`address` AS `address`, `our e`.`event` AS `event`, toDateTime64(`our e`.`timestamp`, 3, 'UTC') AS `timestamp` FROM " +
        "(SELECT `our p`.* FROM (SELECT `our e`.* FROM (SELECT * FROM events_rows FINAL WHERE project_id IN {scope_projects:Array(String)}) AS `our e`) AS `our p`) AS `our e`) AS `events` " +
        "WHERE startsWith(`event`, 'a') GROUP BY `day` ORDER BY `n` DESC LIMIT 6",
    );
  });

  test("cannot write, has limits, and moves no condition below the project", async () => {
    const { ask, sent } = start("");
    await ask("SELECT 1 FROM events");
    const { settings } = sent[0] ?? assert.fail();
    assert.deepEqual(
      [settings.query_plan_filter_push_down, settings.optimize_move_to_prewhere, settings.join_use_nulls],
      [0, 0, 1],
    );
  });

  test("may read tables that the caller adds, as constants", async () => {
    const { ask, sent } = start("");
    const columns = [
      { name: "name", type: "String" },
      { name: "position", type: "UInt64" },
      { name: "comment", type: "String" },
    ] as const;
    const rows = [
      ["it's {x:String}", 1, ""],
      ["b", 2, ""],
    ];
    const relations = [{ name: "system.columns", columns, rows }];
    await ask('SELECT name FROM "system.columns" AS c', "rows", { relations });
    assert.equal(
      sent[0]?.sql,
      "SELECT `name` FROM (SELECT `name`, `position`, `comment` FROM (SELECT CAST(['it\\'s \\x7Bx:String\\x7D', 'b'], 'Array(String)') AS `name`, " +
        "CAST([1, 2], 'Array(UInt64)') AS `position`, arrayResize(CAST([], 'Array(String)'), 2) AS `comment`) " +
        "ARRAY JOIN `name`, `position`, `comment`) AS `c` LIMIT 101",
    );
    await assert.rejects(ask('SELECT name FROM "system.columns"', "rows"), StatementRefused);
  });

  test("has different names for columns that would be named alike", async () => {
    const { ask, sent } = start("");
    await ask("SELECT toInt32(1), toInt32(1)");
    assert.match(sent[0]?.sql ?? "", /AS `toInt32\(1\)`, .* AS `toInt32\(1\)_1`/);
  });

  test("quotes what the user wrote", async () => {
    const { ask, sent } = start("");
    await ask(`SELECT 'it''s \\d {scope_projects:String} \n' AS "a\`b\\c{d:String}" FROM events`);
    assert.match(
      sent[0]?.sql ?? "",
      /^SELECT 'it\\'s \\\\d \\x7Bscope_projects:String\\x7D \\n' AS `a\\`b\\\\c\\x7Bd:String\\x7D` FROM/,
    );
  });

  test("keeps a text of the user in its quotes, in every argument and filter of every function", async () => {
    const { ask, sent } = start("");
    const print = async (call: string) => {
      sent.length = 0;
      await ask(`SELECT ${call} AS a FROM events`).catch((cause: unknown) => {
        assert.ok(cause instanceof StatementRefused, `${call}: ${String(cause)}`);
      });
      return sent[0]?.sql;
    };
    // Whatever our own forms and statements have as marks. Short ones, too: a new text of `replace` has 4 characters.
    const marks = [["$where $1 $2 $3 ITEM $& $` $$ `our item` {scope_projects:String}"], ["ITEM", "$2", "$1"]];
    const hostile = marks.map((texts) => callsWith(texts, ")), 1) -- $1 $where ITEM"));
    const plain = callsWith(["a"], "b");
    let printed = 0;
    const taken = sampled([...plain.entries()], 80);
    for (const [at, call] of taken) {
      const expected = await print(call);
      if (expected === undefined) continue;
      for (const each of hostile) {
        const sql = await print(each[at] ?? "");
        // A pattern or a format may be refused.
        if (sql === undefined) continue;
        printed += 1;
        assert.equal(withoutQuoted(sql), withoutQuoted(expected), each[at]);
      }
    }
    assert.ok(printed > taken.length / 4, `${printed} statements`);
  });

  test("of the corpus is refused, or has only our own tables and functions", async () => {
    const { ask, sent } = start("");
    for (const { group, name, sql } of [...readAttacks(), ...BOMBS]) {
      sent.length = 0;
      const answer = await ask(sql).catch((cause: unknown) => {
        assert.ok(cause instanceof StatementRefused, `${group}: ${name}: ${String(cause)}`);
        return undefined;
      });
      if (answer === undefined) continue;
      const bare = withoutQuoted(sent[0]?.sql ?? "");
      const tables = [...bare.matchAll(/\b(?:FROM|JOIN) +(?!\()(\S+)/g)].map(([, table]) => table);
      assert.deepEqual(
        tables.filter((table) => table !== "events_rows" && table !== "session_rows" && table !== "x"),
        [],
        bare,
      );
      assert.doesNotMatch(bare, /;|--|\/\*|#|\bsystem\b|SETTINGS|INTO/i, `${group}: ${name}`);
      // A lone name after IN is a table.
      assert.doesNotMatch(bare, /\bIN \(*x(?:\.x)*\)/, `${group}: ${name}`);
    }
  });

  test("that would grow is refused, or printed, in time", async () => {
    const { ask, sent } = start("");
    await ask("SELECT 1");
    for (const { name, sql } of BOMBS) {
      sent.length = 0;
      const before = process.cpuUsage();
      await ask(sql).catch((cause: unknown) => {
        assert.ok(cause instanceof StatementRefused, `${name}: ${String(cause)}`);
      });
      const { user } = process.cpuUsage(before);
      // They took milliseconds, and 0.4 s for the parser; what grows takes all memory.
      assert.ok(user < 20_000_000, `${name}: ${user / 1_000} ms`);
      assert.ok((sent[0]?.sql.length ?? 0) <= 262_144, name);
    }
  });

  test("compares with each item of IN that is not a constant, and lists constants", async () => {
    const { ask, sent } = start("");
    const where = async (condition: string) => {
      await ask(`SELECT 1 AS n FROM events WHERE ${condition}`);
      return sent
        .at(-1)
        ?.sql.match(/ WHERE (.*) LIMIT/)?.[1]
        ?.replace(/.* WHERE /, "");
    };
    assert.equal(await where("event IN (type)"), "((`event` = `type`))");
    assert.equal(await where("event NOT IN ('a', type)"), "((`event` != 'a') AND (`event` != `type`))");
    assert.equal(await where("volume IN (-1, 2)"), "(`volume` IN (-1, 2))");
    assert.equal(await where("(event, type) IN (('a', 'b'))"), "(tuple(`event`, `type`) IN (tuple('a', 'b')))");
  });

  test("has an exact median", async () => {
    const { ask, sent } = start("");
    await ask("SELECT median(volume) AS n FROM events");
    assert.match(sent[0]?.sql ?? "", /^SELECT quantileExactInclusiveOrNull\(0\.5\)\(`volume`\) AS `n` /);
    await assert.rejects(ask("SELECT median(DISTINCT volume) FROM events"), /takes no DISTINCT/);
  });

  test("has only parts of a time that are known", async () => {
    const { ask } = start("");
    for (const part of ["constructor", "toString", "__proto__"])
      await assert.rejects(ask(`SELECT date_part('${part}', timestamp) FROM events`), StatementRefused, part);
  });

  test("refuses an interval for its length only if it has one", async () => {
    const { ask } = start("");
    await assert.rejects(ask("SELECT now() + INTERVAL 10001 YEAR"), /longer than/);
    await assert.rejects(ask("SELECT now() + INTERVAL (1e300) YEAR"), /longer than/);
    await ask("SELECT now() + INTERVAL 'abc' DAY");
  });

  test("has no join in brackets, which would bind another way", async () => {
    const { ask } = start("");
    const sql = "SELECT 1 FROM events a JOIN (events b JOIN events c ON b.event = c.event) ON a.event = b.event";
    await assert.rejects(ask(sql), /A join in brackets/);
  });

  test("has no column of a name that nothing defines", async () => {
    const { ask, sent } = start("");
    for (const name of ["events_rows", "system.one", "other.events_rows"])
      await assert.rejects(ask(`SELECT count() FROM events WHERE event IN (${name})`), /There is no column/);
    await ask("WITH c AS (SELECT upper(event) AS e, 1 AS n FROM events) SELECT d.E, c.n FROM c JOIN c AS d USING (n)");
    assert.equal(sent.length, 1);
  });
});

describe("an answer of ClickHouse", () => {
  test("is read as rows with the names and types of its columns, up to the caller's limit", async () => {
    const { ask } = start('["a", "b"]\n["UInt64", "Nullable(String)"]\n["1", null]\n["2", "x"]\n["3", "y"]\n');
    const columns = '[{"name":"a","type":"UInt64"},{"name":"b","type":"Nullable(String)"}]';
    const sql = "SELECT count() AS a, max(event) AS b FROM events GROUP BY type";
    assert.equal(await ask(sql, "rows", { defaultRows: 2 }), `${columns}\n["1", null]\n["2", "x"]\n{"isCut":true}\n`);
    assert.match(await ask(`${sql} LIMIT 2`, "rows"), /\n\["2", "x"\]\n\{"isCut":false\}\n$/);
    const empty = start('["a"]\n["UInt8"]\n');
    assert.equal(await empty.ask("SELECT 1 AS a LIMIT 0", "rows"), '[{"name":"a","type":"UInt8"}]\n{"isCut":false}\n');
  });

  test("becomes the envelope, without the row that shows that there are more", async () => {
    const { ask, sent } = start('{"a":1}\n{"a":2}\n{"a":3}\n');
    assert.equal(
      await ask("SELECT 1 AS a FROM events LIMIT 2"),
      '{"data":[{"a":1},{"a":2}],"total":7,"limit":2,"offset":0,"has_more":true}',
    );
    assert.match(sent[1]?.sql ?? "", /^SELECT toInt64\(count\(\)\) FROM \(/);
  });

  test("is not counted when it is complete", async () => {
    const { ask, sent } = start('{"a":1}\n');
    assert.equal(await ask("SELECT 1 AS a"), '{"data":[{"a":1}],"total":1,"limit":100,"offset":0,"has_more":false}');
    assert.equal(sent.length, 1);
  });

  test("as lines and as CSV, with line breaks inside of fields", async () => {
    assert.equal(await start('{"a":1}\n{"a":2}\n').ask("SELECT 1 AS a", "ndjson"), '{"a":1}\n{"a":2}\n');
    assert.equal(await start("").ask("SELECT 1 AS a", "ndjson"), "");
    assert.equal(await start('"a"\r\n"x\r\ny"\r\n2\r\n').ask("SELECT 1 AS a LIMIT 1", "csv"), '"a"\r\n"x\r\ny"\r\n');
    assert.equal(await start('"a"\r\n').ask("SELECT 1 AS a", "csv"), '"a"\r\n');
  });

  test("that is a failure tells the user why, without our statement", async () => {
    const failure = (cause: Error) => start(cause).ask("SELECT event FROM events");
    const unknown =
      "Code: 47. DB::Exception: Unknown expression identifier `foo` in scope SELECT `event` FROM (SELECT * FROM events_rows). (UNKNOWN_IDENTIFIER)";
    await assert.rejects(failure(new EngineRefused(unknown, { code: 47 })), {
      name: "StatementRefused",
      message: "Unknown expression identifier `foo`",
    });
    const types = "Code: 386. DB::Exception: There is no supertype: cannot compare String with UInt8: WITH `cte a` AS";
    await assert.rejects(failure(new EngineRefused(types, { code: 386 })), {
      message: "There is no supertype: cannot compare String with UInt8",
    });
    await assert.rejects(failure(new EngineBusy("Code: 159. DB::Exception: Timeout exceeded")), /longer than 5 s/);
    await assert.rejects(failure(new EngineBusy("Code: 241. DB::Exception: Memory limit")), /more memory/);
  });
});
