import { full } from "../format/numbers.ts";
import { cellOf, type TableColumn, type TableData } from "../format/table.ts";
import { Address } from "./address.tsx";
import { ScrollRegion } from "./scroll-region.tsx";

/** More rows make a page slow; the CSV has all of them. */
const SHOWN_ROWS = 500;

export function DataTable({ table, label }: { table: TableData; label: string }) {
  const shown = table.rows.slice(0, SHOWN_ROWS);
  return (
    <ScrollRegion label={`${label}, table`}>
      <table className="table">
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column.key} scope="col" className={column.format || column.isRaw ? "number" : undefined}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a report have no id and never move.
            <tr key={index}>
              {table.columns.map((column) => (
                <td key={column.key} className={column.format || column.isRaw ? "number" : undefined}>
                  <Cell value={cellOf(row, column.key)} column={column} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.rows.length > SHOWN_ROWS ? (
        <p className="note">
          The first {SHOWN_ROWS} of {table.rows.length} rows. The CSV has all of them.
        </p>
      ) : null}
    </ScrollRegion>
  );
}

/** Also columns of statements of users. A token or contract is no wallet. */
const NAMES_WALLET = /^(?!.*(token|contract)).*(address|wallet)/i;

function Cell({ value, column }: { value: unknown; column: TableColumn }) {
  if (NAMES_WALLET.test(column.key) && typeof value === "string") return <Address address={value} whole />;
  return cellText(value, column);
}

function cellText(value: unknown, { format, name }: TableColumn): string {
  if (value === null || value === undefined) return "–";
  if (format !== undefined && typeof value === "number") return full(value, format);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return name ? name(text) : text;
}
