import type { AnyRow } from "../../charts/any-row.ts";
import {
  COLUMN_CHART_NAMES,
  COLUMN_CHARTS,
  type ColumnChart,
  chosenColumns,
  TAKES,
  takenColumns,
} from "../../charts/column-charts.ts";
import { type Columns, columnNames, numberColumns, toggled } from "../../charts/columns.ts";
import { oneOf, type RawSearch, text, texts } from "../../state/search.ts";
import { useSetSearch } from "../../state/view.ts";
import { ColumnSelect } from "../../ui/column-select.tsx";

export interface Shown {
  type: ColumnChart;
  columns: Columns;
}

/** What the URL says of rows, or what they allow where it says nothing, or something that they do not have. */
export function readShown(search: RawSearch, rows: readonly AnyRow[]): Shown {
  const type = oneOf(COLUMN_CHART_NAMES, search.show) ?? "table";
  const columns = chosenColumns(rows, {
    x_axis: text(search.x),
    y_axis: texts(search.y),
    group_by: search.group === NO_GROUP ? null : text(search.group),
  });
  return { type, columns: takenColumns(type, columns) };
}

const NO_GROUP = "-";

/** How a result is shown: the chart, and the columns that it takes. */
export function ResultOptions({ shown: { type, columns }, rows }: { shown: Shown; rows: readonly AnyRow[] }) {
  const set = useSetSearch();
  const choose = (patch: RawSearch) => set(patch, { replace: true });
  const { axes, several, groups } = TAKES[type];
  const names = columnNames(rows);
  const { x_axis = "", y_axis = [], group_by = "" } = columns;
  const numbers = numberColumns(rows);
  const isSeveral = several && group_by === "";
  return (
    <div className="sql-shown">
      <label className="inline">
        Show as
        <select value={type} onChange={({ target }) => choose({ show: target.value })}>
          {COLUMN_CHART_NAMES.map((name) => (
            <option key={name} value={name}>
              {COLUMN_CHARTS[name]}
            </option>
          ))}
        </select>
      </label>
      {axes ? (
        <ColumnSelect className="inline" label="By" value={x_axis} names={names} onChange={(x) => choose({ x })} />
      ) : null}
      {axes && !isSeveral ? (
        <ColumnSelect
          className="inline"
          label="Number"
          value={y_axis[0] ?? ""}
          names={names}
          onChange={(y) => choose({ y: text(y) })}
        />
      ) : null}
      {axes && isSeveral ? (
        <fieldset className="segmented">
          <legend className="hidden">Numbers</legend>
          {(numbers.length > 0 ? numbers : names)
            .filter((name) => name !== x_axis)
            .map((name) => (
              <button
                key={name}
                type="button"
                aria-pressed={y_axis.includes(name)}
                onClick={() => choose({ y: toggled(y_axis, name) })}
              >
                {name}
              </button>
            ))}
        </fieldset>
      ) : null}
      {groups ? (
        <ColumnSelect
          className="inline"
          label="Grouped by"
          value={group_by}
          names={names.filter((name) => name !== x_axis)}
          none="nothing"
          onChange={(group) => choose({ group: group === "" ? NO_GROUP : group })}
        />
      ) : null}
    </div>
  );
}
