/** Which column of a file is which field of an event or a wallet. */
import { useId, useState } from "react";

/** Neither: the column of the field's own name. */
export interface Given {
  column?: string;
  /** One for every row. */
  value?: string;
}

/** Shown from the beginning: an event needs a time, a name or a page, and somebody who did it. */
const FIRST_FIELDS = {
  event: ["timestamp", "event", "anonymous_id", "user_id", "address", "key"],
  wallet: ["address", "display_name", "user_id"],
} as const;
const NOTES = {
  event: "A column with the name of a field is that field. Columns that are none become properties of the event.",
  wallet: "A column with the name of a field is that field. A column can also be a label; others are not read.",
} as const;
const LABEL = "label.";
const FIELD_NAMES: Readonly<Record<string, string>> = {
  timestamp: "Time",
  event: "Name of the event",
  type: "Type",
  anonymous_id: "Visitor",
  user_id: "User id",
  address: "Wallet",
  key: "Key of the row",
  message_id: "Message id",
  session_id: "Session",
  display_name: "Name",
};

const nameOf = (field: string) =>
  FIELD_NAMES[field] ?? (field.startsWith(LABEL) ? `Label ${field.slice(LABEL.length)}` : field);

/** A label is named as its column, and can be of any. */
const labelOf = (column: string) => `${LABEL}${column.trim().toLowerCase()}`;

interface MappingProps {
  of: keyof typeof FIRST_FIELDS;
  fields: readonly string[];
  columns: readonly string[];
  given: Readonly<Record<string, Given>>;
  onChange: (given: Readonly<Record<string, Given>>) => void;
}

export function MappingFields({ of, fields, columns, given, onChange }: MappingProps) {
  const first: readonly string[] = FIRST_FIELDS[of];
  const [added, setAdded] = useState<readonly string[]>(() =>
    Object.keys(given).filter((field) => !first.includes(field)),
  );
  const shown = [...first, ...added];
  const labels =
    of === "wallet" ? columns.filter((name) => !name.startsWith(LABEL) && !shown.includes(labelOf(name))) : [];
  const add = (field: string) => {
    setAdded([...added, field]);
    const column = columns.find((name) => labelOf(name) === field);
    if (column !== undefined) onChange({ ...given, [field]: { column } });
  };
  const change = (field: string, to: Given | undefined) => {
    const { [field]: _, ...others } = given;
    onChange(to === undefined ? others : { ...others, [field]: to });
  };
  return (
    <fieldset className="import-mapping">
      <legend>Which column is what</legend>
      <p className="note">{NOTES[of]}</p>
      <div className="import-fields">
        {shown.map((field) => (
          <FieldChoice
            key={field}
            field={field}
            columns={columns}
            given={given[field]}
            onChange={(to) => change(field, to)}
          />
        ))}
      </div>
      <label className="import-more">
        Another field
        <select value="" onChange={({ target }) => add(target.value)}>
          <option value="">Choose…</option>
          {fields
            .filter((field) => !shown.includes(field))
            .map((field) => (
              <option key={field} value={field}>
                {nameOf(field)}
              </option>
            ))}
          {labels.map((column) => (
            <option key={labelOf(column)} value={labelOf(column)}>
              {nameOf(labelOf(column))}
            </option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}

/** No column has such a name: the select has other choices, too. */
const [OWN_NAME, ONE_VALUE] = ["\u0000own", "\u0000value"];

function FieldChoice(props: {
  field: string;
  columns: readonly string[];
  given: Given | undefined;
  onChange: (given: Given | undefined) => void;
}) {
  const { field, columns, given, onChange } = props;
  const name = nameOf(field);
  const id = useId();
  const choose = (choice: string) => {
    if (choice === OWN_NAME) onChange(undefined);
    else onChange(choice === ONE_VALUE ? { value: "" } : { column: choice });
  };
  return (
    <div className="import-field field">
      <label htmlFor={id}>{name}</label>
      <select
        id={id}
        value={given?.column ?? (given?.value === undefined ? OWN_NAME : ONE_VALUE)}
        onChange={({ target }) => choose(target.value)}
      >
        <option value={OWN_NAME}>the column of that name</option>
        <option value={ONE_VALUE}>the same for every row…</option>
        {columns.map((column) => (
          <option key={column} value={column}>
            {column}
          </option>
        ))}
      </select>
      {given?.value === undefined ? null : (
        <input
          aria-label={`${name} of every row`}
          value={given.value}
          maxLength={1000}
          spellCheck={false}
          onChange={({ target }) => onChange({ value: target.value })}
        />
      )}
    </div>
  );
}
