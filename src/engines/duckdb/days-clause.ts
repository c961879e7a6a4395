/** A list of days prunes single row groups; a range is planned faster. */
const MOST_LISTED_DAYS = 16;

/** The days come from our own code: the statement contains no user text. */
export function daysClause(column: string, days: readonly string[]): string {
  const sorted = days.toSorted().map((day) => `DATE '${day}'`);
  return sorted.length > MOST_LISTED_DAYS
    ? `${column} BETWEEN ${sorted[0]} AND ${sorted.at(-1)}`
    : `${column} IN (${sorted.join(", ")})`;
}
