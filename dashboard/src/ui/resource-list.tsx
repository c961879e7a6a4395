import type { ReactNode } from "react";
import type { useList } from "../api/resources.ts";
import { ScrollRegion } from "./scroll-region.tsx";
import { Empty, Failure, Skeleton } from "./states.tsx";
import "./row-table.css";

interface ResourceListProps<T> {
  list: ReturnType<typeof useList<T>>;
  empty: string;
  columns: readonly string[];
  row: (item: T) => { key: string; cells: readonly ReactNode[] };
}

/** The rows of a resource with their actions, or why there are none. */
export function ResourceList<T>({ list, empty, columns, row }: ResourceListProps<T>) {
  if (list.error) return <Failure failure={list.error} onRetry={() => void list.refetch()} />;
  if (list.isPending) return <Skeleton rows={3} />;
  if (list.data.length === 0) return <Empty title={empty} />;
  return (
    <ScrollRegion label={`${columns[0] ?? ""} list`}>
      <table className="table row-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column === "" ? <span className="hidden">Actions</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.data.map((item) => {
            const { key, cells } = row(item);
            return (
              <tr key={key}>
                {columns.map((column, index) => (
                  <td key={column} data-label={column} className={column === "" ? "row-actions" : undefined}>
                    {cells[index]}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
