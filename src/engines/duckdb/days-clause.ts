/** A list of days prunes row groups one by one, a range is planned faster. */
const MOST_LISTED_DAYS = 16;

/** The days are our own: no text of anybody's gets into the statement. */
export function daysClause(column: string, days: readonly string[]): string {
  const sorted = days.toSorted().map((day) => `DATE '${day}'`);
  return sorted.length > MOST_LISTED_DAYS
    ? `${column} BETWEEN ${sorted[0]} AND ${sorted.at(-1)}`
    : `${column} IN (${sorted.join(", ")})`;
}
