import { full } from "../format/numbers.ts";
import type { HeatTableProps } from "./drawings.ts";

/** A table whose cells are shaded by their value. It is a real table, so a screen reader reads it as one. */
export function HeatTable({ label, columns, rows, format }: HeatTableProps) {
  const largest = Math.max(...rows.flatMap(({ values }) => values), 0);
  return (
    <table className="heat" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">
            <span className="hidden">{label}</span>
          </th>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the line is its place.
          <tr key={at}>
            <th scope="row">{row.label}</th>
            {row.values.map((value, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the column is the cell's identity.
              <td key={index}>
                <span
                  className="heat-cell"
                  style={{ "--heat": heat(value, largest) } as Record<string, number>}
                  title={`${row.label}, ${columns[index]}: ${full(value, format)}`}
                >
                  <span className="hidden">{full(value, format)}</span>
                </span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** By the square root: otherwise one busy hour makes all others look empty. */
function heat(value: number, largest: number): number {
  return largest > 0 && value > 0 ? 0.08 + 0.92 * Math.sqrt(value / largest) : 0;
}
