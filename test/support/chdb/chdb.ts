/** The ClickHouse inside a process of the tests: the native chdb where npm has it (`open-native.ts`), else WebAssembly. */
export interface Chdb {
  readonly version: string;
  /** An abort stops the computation; the promise then rejects with the engine's message. */
  query(sql: string, context: Context, signal: AbortSignal): Promise<RawResult>;
  /** `sql` ends before its FORMAT. A started insert is finished, as on a server. */
  insert(sql: string, format: string, rows: Buffer, context: Context): Promise<RawResult>;
}

/** The context of a statement. */
export interface Context {
  /** "" for the engine's own default. */
  readonly database: string;
  /** Settings, and parameters as `param_name`. */
  readonly settings: ReadonlyMap<string, string>;
}

export interface RawResult {
  readonly bytes: Uint8Array;
  readonly elapsed: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

const LONG_SQL_CHARS = 50_000;
const MAX_SQL_BYTES = 16 * 1024 ** 2;

/** In this engine `default` shows the files of the machine; a server has an ordinary database of that name. */
export const ORDINARY_DEFAULT = "DROP DATABASE default; CREATE DATABASE default ENGINE = Atomic";

/** The statement after those that set its context, as one text. */
export function inContext(sql: string, { database, settings }: Context): string {
  const assignments = Array.from(settings, ([name, value]) => `${name}=${quote(value)}`);
  const parts = [
    ...(database === "" ? [] : [`USE ${quoteName(database)}`]),
    ...(assignments.length === 0 ? [] : [`SET ${assignments.join(",")}`]),
    sql,
  ];
  // By default the engine refuses texts above 256 KiB, and a SET with a long parameter is one.
  const isLong = parts.some((part) => part.length > LONG_SQL_CHARS);
  return [...(isLong ? [`SET max_query_size=${MAX_SQL_BYTES}`] : []), ...parts].join(";");
}

/** Through a file: in a text, the engine ends the data at the first blank line and runs the rest as SQL. */
export function insertFrom(path: string, sql: string, format: string): string {
  return `${sql} FROM INFILE ${quote(path)} FORMAT ${format}`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "'": "\\'", "\0": "\\0" };

/** Only these three can end or cut a literal; all other bytes, including line breaks, stay as they are. */
export function quote(value: string): string {
  return `'${value.replace(/[\\'\0]/g, (char) => ESCAPES[char] ?? char)}'`;
}

function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, (char) => `\\${char}`)}\``;
}
