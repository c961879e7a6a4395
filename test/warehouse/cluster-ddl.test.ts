import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { splitStatements } from "../../src/engines/embedded/statement.ts";
import { toClusterDdl } from "../../src/warehouse/cluster-ddl.ts";

const OPTIONS = { cluster: "main", database: "sextant" };

const SCHEMA = `
CREATE DATABASE IF NOT EXISTS sextant;

-- reference data
CREATE TABLE IF NOT EXISTS names (id UInt32, name String) ENGINE = ReplacingMergeTree ORDER BY id;

CREATE TABLE IF NOT EXISTS events
(
    project_id UUID,
    day Date,
    message_id String COMMENT 'engine = MergeTree',
    version UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day, message_id)
SETTINGS index_granularity = 8192;

CREATE TABLE IF NOT EXISTS daily (project_id UUID, day Date, n SimpleAggregateFunction(sum, UInt64))
ENGINE = AggregatingMergeTree() ORDER BY (project_id, day);

CREATE MATERIALIZED VIEW IF NOT EXISTS daily_mv TO daily AS
SELECT project_id, day, count() AS n FROM events LEFT JOIN names ON id = 1 GROUP BY project_id, day;

CREATE VIEW IF NOT EXISTS latest AS SELECT * FROM events FINAL;
`;

const LATER = `
ALTER TABLE events ADD COLUMN IF NOT EXISTS chain String;
ALTER TABLE events ADD INDEX IF NOT EXISTS by_chain chain TYPE bloom_filter GRANULARITY 1;
ALTER TABLE names ADD COLUMN IF NOT EXISTS note String;
TRUNCATE TABLE IF EXISTS daily;
DROP VIEW IF EXISTS latest;
DROP TABLE IF EXISTS daily;
`;

const GOLDEN = [
  [
    "CREATE DATABASE IF NOT EXISTS sextant ON CLUSTER 'main'",
    "CREATE TABLE IF NOT EXISTS names ON CLUSTER 'main' (id UInt32, name String) ENGINE = " +
      "ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/names', '{shard}-{replica}') ORDER BY id",
    `CREATE TABLE IF NOT EXISTS events_local ON CLUSTER 'main'
(
    project_id UUID,
    day Date,
    message_id String COMMENT 'engine = MergeTree',
    version UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/events_local', '{replica}', version)
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day, message_id)
SETTINGS index_granularity = 8192`,
    `CREATE TABLE IF NOT EXISTS events ON CLUSTER 'main' AS sextant.events_local
ENGINE = Distributed('main', 'sextant', 'events_local', cityHash64(project_id))`,
    `CREATE TABLE IF NOT EXISTS daily_local ON CLUSTER 'main' (project_id UUID, day Date, n SimpleAggregateFunction(sum, UInt64))
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/{database}/daily_local', '{replica}') ORDER BY (project_id, day)`,
    `CREATE TABLE IF NOT EXISTS daily ON CLUSTER 'main' AS sextant.daily_local
ENGINE = Distributed('main', 'sextant', 'daily_local', cityHash64(project_id))`,
    `CREATE MATERIALIZED VIEW IF NOT EXISTS daily_mv ON CLUSTER 'main' TO daily_local AS
SELECT project_id, day, count() AS n FROM events_local LEFT JOIN names ON id = 1 GROUP BY project_id, day`,
    "CREATE VIEW IF NOT EXISTS latest ON CLUSTER 'main' AS SELECT * FROM events FINAL",
  ],
  [
    "ALTER TABLE events_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS chain String",
    "ALTER TABLE events ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS chain String",
    "ALTER TABLE events_local ON CLUSTER 'main' ADD INDEX IF NOT EXISTS by_chain chain TYPE bloom_filter GRANULARITY 1",
    "ALTER TABLE names ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS note String",
    "TRUNCATE TABLE IF EXISTS daily_local ON CLUSTER 'main'",
    "DROP VIEW IF EXISTS latest ON CLUSTER 'main'",
    "DROP TABLE IF EXISTS daily ON CLUSTER 'main'",
    "DROP TABLE IF EXISTS daily_local ON CLUSTER 'main'",
  ],
];

describe("the cluster variant of a schema", () => {
  it("is the golden one", () => {
    assert.deepEqual(toClusterDdl([splitStatements(SCHEMA), splitStatements(LATER)], OPTIONS), GOLDEN);
  });

  const refused: Array<[name: string, sql: string, message: RegExp]> = [
    ["a table that cannot be replicated", "CREATE TABLE t (project_id UUID) ENGINE = Memory", /only MergeTree/],
    [
      "a view with a hidden table",
      "CREATE MATERIALIZED VIEW v ENGINE = MergeTree ORDER BY a AS SELECT 1 AS a",
      /needs TO/,
    ],
    ["a statement without a cluster form", "RENAME TABLE a TO b", /no cluster form/],
    ["data", "INSERT INTO t SELECT 1", /no cluster form/],
  ];
  for (const [name, sql, message] of refused) {
    it(`refuses ${name}`, () => assert.throws(() => toClusterDdl([[sql]], OPTIONS), { message }));
  }
});
