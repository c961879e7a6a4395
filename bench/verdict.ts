/** A line of the summary: a measure and its bar. */
export interface Verdict {
  readonly measure: string;
  readonly value: number;
  readonly digits: number;
  readonly unit: string;
  readonly bar: { readonly atLeast: number } | { readonly atMost: number } | { readonly exactly: number };
  /** Why this run cannot decide it. */
  readonly undecided?: string | undefined;
}

export function line(measure: string, value: number, digits: number, unit: string, bar: Verdict["bar"]): Verdict {
  return { measure, value, digits, unit, bar };
}

function isPass({ value, bar }: Verdict): boolean {
  if ("atLeast" in bar) return value >= bar.atLeast;
  return "atMost" in bar ? value <= bar.atMost : value === bar.exactly;
}

export function printVerdicts(verdicts: readonly Verdict[]): string {
  return verdicts
    .map((verdict) => {
      const { measure, value, digits, unit, bar, undecided } = verdict;
      const [words, limit] = Object.entries(bar)[0] ?? ["", 0];
      const sign = { atLeast: ">=", atMost: "<=", exactly: "=" }[words] ?? "";
      const result = undecided ?? (isPass(verdict) ? "PASS" : "MISS");
      const shown = `${show(value, digits)}${unit}`;
      const wanted = `${sign} ${show(Number(limit), 2)}${unit}`;
      return `  ${measure.padEnd(64)} ${shown.padStart(14)}   ${wanted.padEnd(16)} ${result}`;
    })
    .join("\n");
}

function show(value: number, digits: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}
