import { Recent } from "../../lib/recent.ts";
import { readStatement, type Statement } from "./statement.ts";

/** What a text asks for. */
export type ReadStatement = (sql: Buffer) => Statement;

/** Longer ones hold rows or lists of their own and do not come again. */
const LONGEST_BYTES = 16 * 1024;

/**
 * Reports are a few texts that are asked again and again, parameters apart, and it takes 0.2 ms to read one. The last `most` of them are
 * kept; a text that was refused is not.
 */
export function rememberStatements(most = 64): ReadStatement {
  const known = new Recent<Statement>(most);
  return (sql) => {
    if (sql.length > LONGEST_BYTES) return readStatement(sql);
    // One character a byte: texts that differ in any byte are different keys.
    const key = sql.toString("latin1");
    return known.get(
      key,
      () => readStatement(sql),
      ({ kind }) => kind === "select",
    );
  };
}
