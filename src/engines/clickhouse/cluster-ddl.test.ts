import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toClusterDdl } from "./cluster-ddl.ts";
import { splitStatements } from "./migrate.ts";

const OPTIONS = { cluster: "main", database: "sextant" };

const SCHEMA = `
-- reference data; with a semicolon
CREATE TABLE IF NOT EXISTS names
(
    id UInt32,
    name String
)
ENGINE = ReplacingMergeTree
ORDER BY id;

CREATE TABLE IF NOT EXISTS events
(
    project_id String,
    day Date,
    version UInt64
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day)
SETTINGS index_granularity = 8192;

CREATE OR REPLACE VIEW latest AS
SELECT * FROM events FINAL;
`;

const LATER = `
ALTER TABLE events ADD COLUMN IF NOT EXISTS chain String;
ALTER TABLE events ADD INDEX IF NOT EXISTS by_chain chain TYPE bloom_filter GRANULARITY 1;
ALTER TABLE names ADD COLUMN IF NOT EXISTS note String;
TRUNCATE TABLE IF EXISTS events;
DROP VIEW IF EXISTS latest;
DROP TABLE IF EXISTS events;
`;

const EXPECTED = [
  [
    `CREATE TABLE IF NOT EXISTS names ON CLUSTER 'main'
(
    id UInt32,
    name String
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/names', '{shard}-{replica}')
ORDER BY id`,
    `CREATE TABLE IF NOT EXISTS events_local ON CLUSTER 'main'
(
    project_id String,
    day Date,
    version UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/events_local', '{replica}', version)
PARTITION BY toYYYYMM(day)
ORDER BY (project_id, day)
SETTINGS index_granularity = 8192`,
    `CREATE TABLE IF NOT EXISTS events ON CLUSTER 'main' AS sextant.events_local
ENGINE = Distributed('main', 'sextant', 'events_local', cityHash64(project_id))`,
    "CREATE OR REPLACE VIEW latest ON CLUSTER 'main' AS\nSELECT * FROM events FINAL",
  ],
  [
    "ALTER TABLE events_local ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS chain String",
    "ALTER TABLE events ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS chain String",
    "ALTER TABLE events_local ON CLUSTER 'main' ADD INDEX IF NOT EXISTS by_chain chain TYPE bloom_filter GRANULARITY 1",
    "ALTER TABLE names ON CLUSTER 'main' ADD COLUMN IF NOT EXISTS note String",
    "TRUNCATE TABLE IF EXISTS events_local ON CLUSTER 'main'",
    "DROP VIEW IF EXISTS latest ON CLUSTER 'main'",
    "DROP TABLE IF EXISTS events_local ON CLUSTER 'main'",
    "DROP TABLE IF EXISTS events ON CLUSTER 'main'",
  ],
];

describe("the cluster variant of a schema", () => {
  it("has tables in shards, views and reference data on every node", () => {
    assert.deepEqual(toClusterDdl([splitStatements(SCHEMA), splitStatements(LATER)], OPTIONS), EXPECTED);
  });

  const refused: Array<[name: string, sql: string, message: RegExp]> = [
    ["a table that cannot be replicated", "CREATE TABLE IF NOT EXISTS t (a UInt8)\nENGINE = Memory", /only MergeTree/],
    [
      "a CREATE TABLE without IF NOT EXISTS",
      "CREATE TABLE t (a UInt8)\nENGINE = MergeTree\nORDER BY a",
      /no cluster form/,
    ],
    ["a materialized view", "CREATE MATERIALIZED VIEW v TO t AS SELECT 1 AS a", /no cluster form/],
    ["a statement without a cluster form", "RENAME TABLE a TO b", /no cluster form/],
    ["data", "INSERT INTO t SELECT 1", /no cluster form/],
  ];
  for (const [name, sql, message] of refused) {
    it(`refuses ${name}`, () => assert.throws(() => toClusterDdl([[sql]], OPTIONS), { message }));
  }
});
