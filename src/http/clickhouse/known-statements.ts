/**
 * Statements that ClickHouse's JDBC driver (0.9) sends to describe a database, in ClickHouse's own syntax. Our tables
 * have no primary key, so the answers have no rows.
 */
const KNOWN: readonly { readonly has: RegExp; readonly sql: string }[] = [
  {
    // DatabaseMetaData.getPrimaryKeys
    has: /'PRIMARY' AS PK_NAME FROM system \. tables ARRAY JOIN/,
    sql: "SELECT '' AS TABLE_CAT, '' AS TABLE_SCHEM, '' AS TABLE_NAME, '' AS COLUMN_NAME, CAST(0 AS Int16) AS KEY_SEQ, '' AS PK_NAME LIMIT 0",
  },
  {
    // DatabaseMetaData.getTypeInfo
    has: /^SELECT name AS TYPE_NAME .* FROM system \. data_type_families dt LEFT JOIN \( SELECT \* FROM VALUES/s,
    sql: "SELECT '' AS TYPE_NAME, CAST(0 AS Int32) AS DATA_TYPE, CAST(0 AS Int32) AS PRECISION, '' AS LITERAL_PREFIX, '' AS LITERAL_SUFFIX, '' AS CREATE_PARAMS, CAST(0 AS Int16) AS NULLABLE, true AS CASE_SENSITIVE, CAST(3 AS Int16) AS SEARCHABLE, false AS UNSIGNED_ATTRIBUTE, false AS FIXED_PREC_SCALE, false AS AUTO_INCREMENT, '' AS LOCAL_TYPE_NAME, CAST(0 AS Int16) AS MINIMUM_SCALE, CAST(0 AS Int16) AS MAXIMUM_SCALE, CAST(0 AS Int32) AS SQL_DATA_TYPE, CAST(0 AS Int32) AS SQL_DATETIME_SUB, CAST(0 AS Int32) AS NUM_PREC_RADIX LIMIT 0",
  },
];

/** The statement to run instead; `text` has its tokens separated by a space. */
export function findKnownStatement(text: string): string | undefined {
  return KNOWN.find(({ has }) => has.test(text))?.sql;
}
