import type { MouseEvent, ReactNode } from "react";
import { type Format, full, share, short } from "../format/numbers.ts";
import { uniqueKeys } from "../format/unique-keys.ts";
import type { RankedRow } from "./drawings.ts";

interface ShownRow extends RankedRow {
  /** The change against a comparison. */
  change?: ReactNode;
  /** In front of the name, for example a flag. */
  mark?: ReactNode;
  title?: string;
  active?: boolean;
}

interface RankedBarsProps<R extends ShownRow> {
  rows: readonly R[];
  format: Format;
  /** What 100% is; without it no shares are shown. */
  total?: number | undefined;
  onChoose?: ((row: R, exclude: boolean) => void) | undefined;
}

/** Rows by size, each with a bar behind its name. A click filters by a row, a shift-click leaves it out. */
export function RankedBars<R extends ShownRow>({ rows, format, total, onChoose }: RankedBarsProps<R>) {
  const largest = Math.max(...rows.map(({ value }) => value ?? 0), 0);
  const choose = (event: MouseEvent, row: R) => onChoose?.(row, event.shiftKey);
  const keys = uniqueKeys(rows.map(({ key }) => key));
  return (
    <ol className="ranked">
      {rows.map((row, index) => {
        const content = (
          <>
            <span
              className="ranked-bar"
              style={{ width: `${largest > 0 ? Math.max(0, (row.value ?? 0) / largest) * 100 : 0}%` }}
            />
            <span className="ranked-name">
              {row.mark}
              <span>
                <bdi>{row.name}</bdi>
              </span>
            </span>
            <span className="ranked-share">
              {total === undefined || row.value === null ? "" : share(row.value, total)}
            </span>
            <span className="ranked-value" title={row.value === null ? "–" : full(row.value, format)}>
              {row.value === null ? "–" : short(row.value, format)}
            </span>
            {row.change === undefined ? null : <span className="ranked-change">{row.change}</span>}
          </>
        );
        return (
          <li key={keys[index]}>
            {onChoose ? (
              <button
                type="button"
                className={row.active ? "ranked-row active" : "ranked-row"}
                title={row.title ?? row.name}
                aria-pressed={row.active ?? false}
                onClick={(event) => choose(event, row)}
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
