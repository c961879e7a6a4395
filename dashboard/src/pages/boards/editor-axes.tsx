import type { ChartFields } from "../../api/boards.ts";
import type { AnyRow } from "../../charts/any-row.ts";
import { TAKES } from "../../charts/column-charts.ts";
import { numberColumns, toggled } from "../../charts/columns.ts";
import { ColumnSelect } from "../../ui/column-select.tsx";
import { axesOf, chosenAxes, isColumnChart, shownColumns } from "./drafts.ts";
import { FieldFailure } from "./field-failure.tsx";

interface AxesProps {
  draft: ChartFields;
  rows: readonly AnyRow[];
  failure: unknown;
  onChange: (changes: Partial<ChartFields>) => void;
}

/** Which columns of the answer are drawn, and how. */
export function Axes({ draft, rows, failure, onChange }: AxesProps) {
  const { chart_type: type } = draft;
  if (!isColumnChart(type) || chosenAxes(draft).length === 0) return null;
  const { x_axis = "", y_axis = [], group_by = "" } = axesOf(draft, rows);
  const { axes, several, groups } = TAKES[type];
  const names = [...new Set([...shownColumns(rows), ...[x_axis, group_by, ...y_axis].filter((name) => name !== "")])];
  const numbers = numberColumns(rows).filter((name) => names.includes(name) && name !== x_axis);
  const isSeveral = several && group_by === "";
  const toggle = (name: string) => onChange({ y_axis: toggled(y_axis, name), x_axis, group_by });
  return (
    <div className="editor-part">
      <h2>Columns</h2>
      <div className="editor-params">
        {axes ? (
          <div>
            <ColumnSelect
              label="Along"
              value={x_axis}
              names={names}
              onChange={(x) => onChange({ x_axis: x || null })}
            />
            <FieldFailure failure={failure} field="x_axis" />
          </div>
        ) : null}
        {isSeveral ? null : (
          <div>
            <ColumnSelect
              label="Number"
              value={y_axis[0] ?? ""}
              names={names}
              onChange={(y) => onChange({ y_axis: [y] })}
            />
            <FieldFailure failure={failure} field="y_axis" />
          </div>
        )}
        {groups ? (
          <div>
            <ColumnSelect
              label="Grouped by"
              value={group_by}
              names={names.filter((name) => name !== x_axis)}
              none="nothing"
              onChange={(name) => onChange({ group_by: name })}
            />
            <FieldFailure failure={failure} field="group_by" />
          </div>
        ) : null}
      </div>
      {isSeveral ? (
        <>
          <fieldset className="editor-numbers">
            <legend>Numbers</legend>
            {(numbers.length > 0 ? numbers : names).map((name) => (
              <label key={name} className="inline">
                <input type="checkbox" checked={y_axis.includes(name)} onChange={() => toggle(name)} />
                {name}
              </label>
            ))}
          </fieldset>
          <FieldFailure failure={failure} field="y_axis" />
        </>
      ) : null}
    </div>
  );
}
