import { type Format, full, short } from "../format/numbers.ts";

export interface HeatTableProps {
  label: string;
  columns: readonly string[];
  rows: readonly { label: string; values: readonly (number | null)[] }[];
  format: Format;
  /** Shows the numbers in the cells; without it they are in titles and the table view. */
  numbers?: boolean;
  corner?: string;
  onCell?: (row: number, column: number) => void;
}

/** A table whose cells are shaded by their value. It is a real table, so a screen reader reads it as one. */
export function HeatTable({ label, columns, rows, format, numbers = false, corner = "" }: HeatTableProps) {
  const largest = Math.max(...rows.flatMap(({ values }) => values.map((value) => value ?? 0)), 0);
  return (
    <table className={numbers ? "heat numbers" : "heat"} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{corner === "" ? <span className="hidden">{label}</span> : corner}</th>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.label}>
            <th scope="row">{row.label}</th>
            {row.values.map((value, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the column is the cell's identity.
              <td key={index}>
                {value === null ? null : (
                  <span
                    className="heat-cell"
                    style={{ "--heat": heat(value, largest) } as Record<string, number>}
                    data-dark={heat(value, largest) > 0.55}
                    title={`${row.label}, ${columns[index]}: ${full(value, format)}`}
                  >
                    <span className={numbers ? undefined : "hidden"}>{short(value, format)}</span>
                  </span>
                )}
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
