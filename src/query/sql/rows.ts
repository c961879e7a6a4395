/** Reads the answer to a statement in the format `rows` (engines/user-sql/formats.ts): columns first, then batches. */
import { ApiError } from "../../contract/errors.ts";

export interface SqlRows {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: AsyncIterable<readonly (readonly unknown[])[]>;
}

/** A row is parsed in one go: 4 MiB take 0.2 s, in which others wait for their answers. */
const ROW_BYTES = 4 * 1024 ** 2;

export interface ReadOptions {
  /** False, the default: more rows than an answer may have are an error. */
  readonly mayBeCut?: boolean;
}

/** Takes the stream: it ends with the rows, or when the caller stops to read them. */
export async function readSqlRows(
  body: AsyncIterable<Buffer>,
  { mayBeCut = false }: ReadOptions = {},
): Promise<SqlRows> {
  const batches = readLines(body);
  const first = await batches.next();
  const [columns, ...rest] = (first.done ? [] : first.value) as [SqlRows["columns"], ...unknown[]];
  if (columns === undefined) throw new Error("the answer has no columns");
  return { columns, rows: readBatches(rest, batches, mayBeCut) };
}

async function* readBatches(
  first: readonly unknown[],
  rest: AsyncGenerator<unknown[]>,
  mayBeCut: boolean,
): AsyncGenerator<unknown[][]> {
  try {
    for (let batch: readonly unknown[] | undefined = first; batch !== undefined; ) {
      const rows = batch.filter((line): line is unknown[] => Array.isArray(line));
      if (rows.length > 0) yield rows;
      const end = batch.find((line) => !Array.isArray(line)) as { isCut: boolean } | undefined;
      if (end !== undefined) {
        if (end.isCut && !mayBeCut)
          throw new ApiError("BAD_REQUEST", "The answer has too many rows: add a LIMIT or a condition");
        return;
      }
      const next: IteratorResult<unknown[]> = await rest.next();
      batch = next.done ? undefined : next.value;
    }
    throw new Error("the answer has no end");
  } finally {
    await rest.return(undefined);
  }
}

/** The lines of each piece, parsed together: one by one they took twice as long. */
async function* readLines(body: AsyncIterable<Buffer>): AsyncGenerator<unknown[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const chunk of body) {
    const end = chunk.lastIndexOf(0x0a);
    if (end === -1) {
      rest.push(chunk);
      restBytes += chunk.length;
      if (restBytes > ROW_BYTES)
        throw new ApiError("BAD_REQUEST", `The answer has a row of more than ${ROW_BYTES} bytes`);
      continue;
    }
    const text = Buffer.concat([...rest, chunk.subarray(0, end)]).toString("utf8");
    rest = [chunk.subarray(end + 1)];
    restBytes = chunk.length - end - 1;
    yield JSON.parse(`[${text.replaceAll("\n", ",")}]`) as unknown[];
  }
}
