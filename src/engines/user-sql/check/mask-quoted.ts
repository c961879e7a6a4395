/** A statement of the same length in which strings and quoted names are letters: what is left is syntax. */
export function maskQuoted(sql: string): string {
  return sql.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, (quoted) => "x".repeat(quoted.length));
}
