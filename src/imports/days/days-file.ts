/** An export of days. All its sums are in memory before the first is known, so that the service lets a process read it. */
import { ImportError } from "../import-error.ts";
import { NotInTime, type PreviewLimits, startPreviewDeadline } from "../preview-deadline.ts";
import { readFromProcess } from "../read/from-process.ts";
import { readLines } from "../read/lines.ts";
import { type DaysHead, headOf } from "./days-head.ts";
import type { DaySum } from "./plausible.ts";
import { readDays } from "./read-days.ts";

export interface DaysFile extends DaysHead {
  /** In the order of their days. */
  readonly sums: AsyncIterable<readonly DaySum[]>;
  close(): Promise<void>;
}

const PROGRAM = new URL("./days-process.ts", import.meta.url);
/** Two million sums took 94 s beside other work. */
const STILL_MS = 300_000;

/** Throws an ImportError that names the file and the line of what is wrong. */
export type OpenDays = (path: string, signal: AbortSignal) => Promise<DaysFile>;

/** In this process, which is that of the command. */
export async function openDaysHere(path: string): Promise<DaysFile> {
  const all = await readDays(path);
  async function* sums(): AsyncGenerator<readonly DaySum[], void, void> {
    yield all;
  }
  return { ...headOf(all), sums: sums(), close: async () => undefined };
}

export async function openDays(path: string, signal: AbortSignal): Promise<DaysFile> {
  const lines = readObjects(path, signal);
  const { value: head } = await lines.next();
  if (head === undefined) throw new ImportError("the export has no sums");
  async function* sums(): AsyncGenerator<readonly DaySum[], void, void> {
    for await (const line of lines) yield (line as { sums: readonly DaySum[] }).sums;
  }
  return { ...(head as DaysHead), sums: sums(), close: async () => void (await lines.return()) };
}

/**
 * Its days, and whether all of its tables were read and are right within some time. Throws an ImportError that names the
 * file and the line of what is wrong, or NotInTime.
 */
export async function lookAtDays(
  path: string,
  { signal, limits }: { signal: AbortSignal; limits: PreviewLimits },
): Promise<DaysHead & { readonly isWhole: boolean }> {
  const deadline = startPreviewDeadline(limits);
  let found: DaysHead | undefined;
  let isWhole = false;
  try {
    for await (const line of readObjects(path, AbortSignal.any([signal, deadline.signal]), "look")) {
      [found, isWhole] = [line as DaysHead, found !== undefined];
      deadline.came();
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (!deadline.signal.aborted) throw cause;
  } finally {
    deadline.end();
  }
  if (found === undefined) throw new NotInTime("no day of the export was read");
  return { ...found, isWhole };
}

async function* readObjects(
  path: string,
  signal: AbortSignal,
  ...what: readonly "look"[]
): AsyncGenerator<unknown, void, void> {
  for await (const rows of readLines(readFromProcess(PROGRAM, [path, ...what], { signal, stillMs: STILL_MS }), 0))
    for (const { value, problem } of rows) {
      if (value === undefined) throw new ImportError(`a part of the export cannot be read: ${problem}`);
      yield value;
    }
}
