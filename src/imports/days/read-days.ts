/** All sums of an export of days, from a zip or a folder. They are added up here: several rows may be of one value. */
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { ImportError } from "../import-error.ts";
import { readCsv } from "../read/csv.ts";
import { isZip, readHead } from "../read/head.ts";
import { hasFile, readZip } from "../read/zip.ts";
import { type DaySum, findTable, isTotals, readSums, WrongDay } from "./plausible.ts";

/** Three years of a site with a thousand pages a day. */
const MOST_SUMS = 2_000_000;
const EXPECTED = "Plausible's export: a zip or a folder with files such as imported_visitors_20240101_20240331.csv";

interface DayFile {
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
}

/** `only`: of the totals of days, which are few, and nothing is said of the other tables. */
export async function readDays(path: string, only?: "totals"): Promise<DaySum[]> {
  const sums = new Map<string, DaySum>();
  let files = 0;
  for await (const file of openFiles(path)) {
    const table = findTable(file.name);
    if (table === null || table === undefined || (only === "totals" && !isTotals(file.name))) continue;
    files += 1;
    for await (const rows of readCsv(file.chunks, basename(file.name), ","))
      for (const { at, value, problem } of rows) {
        const wrong = (why: string) => new ImportError(`${basename(file.name)}, line ${at}: ${why}`);
        if (value === undefined) throw wrong(problem ?? "it cannot be read");
        try {
          for (const sum of readSums(table, value)) add(sums, sum);
        } catch (cause) {
          if (cause instanceof WrongDay) throw wrong(cause.message);
          throw cause;
        }
        if (sums.size > MOST_SUMS)
          throw new ImportError(`${basename(path)} has more than ${MOST_SUMS} sums: export fewer months at a time`);
      }
  }
  if (files === 0) throw new ImportError(`${basename(path)} has none of its files; expected ${EXPECTED}`);
  if (![...sums.values()].some(({ dimension }) => dimension === "total"))
    throw new ImportError(`${basename(path)} has no rows of imported_visitors; expected ${EXPECTED}`);
  // In one order, whatever that of the rows is: two exports of the same days are the same.
  return [...sums.values()].sort(
    (one, other) =>
      compare(one.day, other.day) ||
      compare(one.dimension, other.dimension) ||
      compare(one.value, other.value) ||
      compare(one.detail, other.detail),
  );
}

/** Whether a file is such an export: by its name, or by those of a zip. */
export async function looksLikeDays(path: string, fileName: string): Promise<boolean> {
  return isZip(await readHead(path)) ? hasFile(path, isTable) : isTable(fileName);
}

const isTable = (name: string) => findTable(name) != null;

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

async function* openFiles(path: string): AsyncGenerator<DayFile, void, void> {
  if (!(await stat(path)).isDirectory()) {
    if (isZip(await readHead(path)) || !isTable(basename(path))) yield* readZip(path);
    else yield { name: basename(path), chunks: createReadStream(path) as AsyncIterable<Buffer> };
    return;
  }
  for (const name of (await readdir(path)).sort())
    if (name.endsWith(".csv")) yield { name, chunks: createReadStream(join(path, name)) as AsyncIterable<Buffer> };
}

function add(sums: Map<string, DaySum>, sum: DaySum): void {
  const key = JSON.stringify([sum.dimension, sum.day, sum.value, sum.detail]);
  const known = sums.get(key);
  sums.set(
    key,
    known === undefined
      ? sum
      : {
          ...sum,
          visitors: known.visitors + sum.visitors,
          visits: known.visits + sum.visits,
          pageviews: known.pageviews + sum.pageviews,
          bounces: known.bounces + sum.bounces,
          duration_ms: known.duration_ms + sum.duration_ms,
        },
  );
}
