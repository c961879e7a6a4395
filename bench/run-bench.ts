import { printVerdicts, type Verdict } from "./verdict.ts";

/**
 * Registers the cleanup of a resource right after its start, so that an interrupted benchmark leaves nothing either.
 */
export type OnEnd = (remove: () => Promise<void> | void) => void;

/** Runs a benchmark: measures, prints the verdicts, and always cleans up. */
export async function runBench(
  measure: (onEnd: OnEnd) => Promise<readonly Verdict[]>,
  giveUpMs: number,
): Promise<never> {
  const removals: Parameters<OnEnd>[0][] = [];
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => reject(new Error(signal)));
    setTimeout(() => reject(new Error(`not done within ${giveUpMs / 1000} s`)), giveUpMs).unref();
  });
  try {
    const verdicts = await Promise.race([measure((remove) => removals.push(remove)), interrupted]);
    print(`\n${printVerdicts(verdicts)}`);
  } catch (cause) {
    process.stderr.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`);
    process.exitCode = 2;
  }
  // In reverse order; a failed cleanup does not stop the others.
  for (const remove of removals.reverse()) {
    try {
      await remove();
    } catch (cause) {
      process.stderr.write(`left behind: ${String(cause)}\n`);
    }
  }
  // An interrupted measurement may still wait for an answer.
  process.exit();
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
