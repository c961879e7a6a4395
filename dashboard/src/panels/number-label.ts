import { cellText } from "../charts/any-row.ts";
import { MEASURES, type Measure, type MeasureName } from "../format/measures.ts";

/** What the overview knows about a column. */
export const measureOf = (column: unknown): Measure | undefined => MEASURES[column as MeasureName];

/** The column of a number in the words of the overview; nothing where the title says it already. */
export function numberLabel(column: unknown, title: string): string {
  const label = measureOf(column)?.label ?? cellText(column);
  return label.toLowerCase() === title.toLowerCase() ? "" : label;
}
