import type { MouseEvent, ReactNode } from "react";
import { type Format, full, share, short } from "../format/numbers.ts";

export interface RankedRow {
  key: string;
  name: string;
  value: number;
  /** In front of the name, for example a flag. */
  mark?: ReactNode;
  title?: string;
  active?: boolean;
}

interface RankedBarsProps {
  rows: readonly RankedRow[];
  format: Format;
  /** What 100% is; without it no shares are shown. */
  total?: number | undefined;
  onChoose?: ((key: string, exclude: boolean) => void) | undefined;
}

/** Rows by size, each with a bar behind its name. A click filters by a row, a shift-click leaves it out. */
export function RankedBars({ rows, format, total, onChoose }: RankedBarsProps) {
  const largest = Math.max(...rows.map(({ value }) => value), 0);
  const choose = (event: MouseEvent, key: string) => onChoose?.(key, event.shiftKey);
  return (
    <ol className="ranked">
      {rows.map((row) => {
        const content = (
          <>
            <span
              className="ranked-bar"
              style={{ width: `${largest > 0 ? Math.max(0, row.value / largest) * 100 : 0}%` }}
            />
            <span className="ranked-name">
              {row.mark}
              <span>{row.name}</span>
            </span>
            <span className="ranked-share">{total === undefined ? "" : share(row.value, total)}</span>
            <span className="ranked-value" title={full(row.value, format)}>
              {short(row.value, format)}
            </span>
          </>
        );
        return (
          <li key={row.key}>
            {onChoose ? (
              <button
                type="button"
                className={row.active ? "ranked-row active" : "ranked-row"}
                title={row.title ?? row.name}
                aria-pressed={row.active ?? false}
                onClick={(event) => choose(event, row.key)}
              >
                {content}
              </button>
            ) : (
              <div className="ranked-row" title={row.title ?? row.name}>
                {content}
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}
