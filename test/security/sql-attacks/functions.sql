-- Functions and tables that read the engine, its files, its settings or the network.

-- name: a file as a table | refused
SELECT * FROM '/etc/passwd'

-- name: a CSV file as a table | refused
SELECT * FROM 'data.csv'

-- name: a parquet file on the network | refused
SELECT * FROM 'https://example.com/a.parquet'

-- name: a file in quotes | refused
SELECT * FROM "/etc/passwd.csv"

-- name: read_csv | refused
SELECT * FROM read_csv('/etc/passwd')

-- name: read_csv_auto | refused
SELECT * FROM read_csv_auto('/etc/passwd')

-- name: read_text | refused
SELECT * FROM read_text('/etc/passwd')

-- name: read_blob | refused
SELECT * FROM read_blob('/etc/passwd')

-- name: read_json | refused
SELECT * FROM read_json('/etc/passwd')

-- name: read_parquet | refused
SELECT * FROM read_parquet('a.parquet')

-- name: parquet_metadata | refused
SELECT * FROM parquet_metadata('a.parquet')

-- name: glob | refused
SELECT * FROM glob('/*')

-- name: sniff_csv | refused
SELECT * FROM sniff_csv('/etc/passwd')

-- name: query | refused
SELECT * FROM query('SELECT * FROM main.events')

-- name: query_table | refused
SELECT * FROM query_table('main.events')

-- name: query_table with a list | refused
SELECT * FROM query_table(['events', 'main.events'])

-- name: json_execute_serialized_sql | refused
SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM main.events'))

-- name: json_serialize_sql | refused
SELECT json_serialize_sql('SELECT * FROM main.events')

-- name: json_serialize_plan | refused
SELECT json_serialize_plan('SELECT * FROM main.events')

-- name: duckdb_tables | refused
SELECT * FROM duckdb_tables()

-- name: duckdb_tables as a table | refused
SELECT * FROM duckdb_tables

-- name: duckdb_settings | refused
SELECT * FROM duckdb_settings()

-- name: duckdb_secrets | refused
SELECT * FROM duckdb_secrets()

-- name: duckdb_functions | refused
SELECT * FROM duckdb_functions()

-- name: duckdb_memory | refused
SELECT * FROM duckdb_memory()

-- name: pragma_table_info | refused
SELECT * FROM pragma_table_info('events')

-- name: pragma_storage_info | refused
SELECT * FROM pragma_storage_info('events')

-- name: pragma_database_list | refused
SELECT * FROM pragma_database_list

-- name: information_schema | refused
SELECT * FROM information_schema.tables

-- name: information_schema in quotes | refused
SELECT * FROM "information_schema"."columns"

-- name: pg_catalog | refused
SELECT * FROM pg_catalog.pg_tables

-- name: pg_tables | refused
SELECT * FROM pg_tables

-- name: sqlite_master | refused
SELECT * FROM sqlite_master

-- name: system tables of ClickHouse | refused
SELECT * FROM system.tables

-- name: system settings of ClickHouse | refused
SELECT * FROM system.settings

-- name: merge | refused
SELECT * FROM merge('main', '.*')

-- name: remote | refused
SELECT * FROM remote('127.0.0.1', 'sextant.events_rows')

-- name: url | refused
SELECT * FROM url('http://127.0.0.1/', CSV)

-- name: file | refused
SELECT * FROM file('/etc/passwd')

-- name: s3 | refused
SELECT * FROM s3('http://127.0.0.1/a.csv')

-- name: cluster | refused
SELECT * FROM cluster('c', main, events)

-- name: numbers | refused
SELECT * FROM numbers(1000000000)

-- name: view | refused
SELECT * FROM view(SELECT * FROM main.events)

-- name: a table function in a subquery | refused
SELECT (SELECT count(*) FROM duckdb_tables())

-- name: a table function in a join | refused
SELECT * FROM events, duckdb_settings()

-- name: range as a table | refused
SELECT * FROM range(10)

-- name: generate_series as a table | refused
SELECT * FROM generate_series(1, 10)

-- name: unnest as a table | refused
SELECT * FROM unnest([1, 2])

-- name: getenv | refused
SELECT getenv('HOME')

-- name: getvariable | refused
SELECT getvariable('project_id')

-- name: current_setting | refused
SELECT current_setting('temp_directory')

-- name: getSetting | refused
SELECT getSetting('max_memory_usage')

-- name: version | refused
SELECT version()

-- name: current_database | refused
SELECT current_database()

-- name: current_schema | refused
SELECT current_schema()

-- name: current_user | refused
SELECT current_user

-- name: user | refused
SELECT user

-- name: current_catalog | refused
SELECT current_catalog

-- name: current_query | refused
SELECT current_query()

-- name: currentDatabase | refused
SELECT currentDatabase()

-- name: hostName | refused
SELECT hostName()

-- name: dictGet | refused
SELECT dictGet('d', 'a', 1)

-- name: joinGet | refused
SELECT joinGet('main.events', 'event', 1)

-- name: file as a function | refused
SELECT file('/etc/passwd')

-- name: read_text as a function | refused
SELECT read_text('/etc/passwd')

-- name: write_log | refused
SELECT write_log('a')

-- name: nextval | refused
SELECT nextval('a')

-- name: txid_current | refused
SELECT txid_current()

-- name: sleep | refused
SELECT sleep(3)

-- name: error | refused
SELECT error('a')

-- name: in_search_path | refused
SELECT in_search_path('warehouse', 'main')

-- name: pg_typeof | refused
SELECT pg_typeof(1)

-- name: a function by its schema | refused
SELECT system.main.getvariable('a')

-- name: a function by another schema | refused
SELECT pg_catalog.version()

-- name: a function in quotes | refused
SELECT "current_setting"('temp_directory')

-- name: one of our own macros | refused
SELECT user_now()

-- name: one of our own macros of reports | refused
SELECT transform('a', ['a'], ['b'], 'c')

-- name: an aggregate with an unknown combinator | refused
SELECT sumOrDefault(revenue) FROM events

-- name: an aggregate of states | refused
SELECT sum(revenue) EXPORT_STATE FROM events

-- name: a cast to an unknown type | refused
SELECT 'events'::regclass

-- name: a cast to a nested type | refused
SELECT 1::STRUCT(a INT)

-- name: a cast to an enum | refused
SELECT 'a'::ENUM('a')

-- name: a cast to JSON | refused
SELECT '{"a":1}'::JSON

-- name: a cast to a blob | refused
SELECT 'a'::BLOB

-- name: named arguments | refused
SELECT unnest([[1]], recursive := true)

-- name: struct_pack | refused
SELECT struct_pack(a := 1)

-- name: a map | harmless
SELECT map('a', 1)

-- name: a map over columns of lists | bounded
SELECT map(groupArray(event), groupArray(1)) FROM events

-- name: an unknown function | refused
SELECT no_such_function(1)
