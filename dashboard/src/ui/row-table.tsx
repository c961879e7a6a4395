import type { ReactNode } from "react";
import { ScrollRegion } from "./scroll-region.tsx";
import "./row-table.css";

interface RowTableProps {
  label: string;
  columns: readonly string[];
  /** Whether its rows end with what can be done. */
  hasActions: boolean;
  children: ReactNode;
}

/** A table whose rows are cards on a small screen: each cell names its column as `data-label`. */
export function RowTable({ label, columns, hasActions, children }: RowTableProps) {
  return (
    <ScrollRegion label={`${label}, table`}>
      <table className="table row-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            {hasActions ? (
              <th scope="col">
                <span className="hidden">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollRegion>
  );
}
