/** A chart that compares segments: the answer for each of them, one below the other, with a column that names it. */
import { SEGMENT_COLUMN, tellApart } from "../contract/segment-names.ts";
import { type ChartAnswer, type Column, ofReport } from "./answer.ts";
import type { ChartSpec } from "./chart.ts";

export function comparedOf({ settings }: Pick<ChartSpec, "settings">): readonly string[] {
  return [...new Set(settings?.segments ?? [])];
}

export interface SegmentPart {
  readonly title: string;
  readonly answer: ChartAnswer;
}

/** The column is the last one, so that the columns of the report stay where they are. */
export async function joinSegments(parts: readonly SegmentPart[]): Promise<ChartAnswer> {
  const [first] = parts;
  const columns: Column[] = [...(first?.answer.columns ?? []), { name: SEGMENT_COLUMN, type: "String" }];
  const names = tellApart(parts.map(({ title }) => title));
  // The numbers of reports are those of JavaScript: what was written is read again as it was.
  const data = parts.flatMap(({ answer }, at) => {
    const { data: rows } = JSON.parse(answer.text) as { data: Record<string, never>[] };
    return rows.map((row) => ({ ...row, [SEGMENT_COLUMN]: names[at] ?? "" }));
  });
  return ofReport({ meta: columns, data });
}
