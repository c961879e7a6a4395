/** Which column of a file is which field of an event. */
import { useId, useState } from "react";

/** Neither: the column of the field's own name. */
export interface Given {
  column?: string;
  /** One for every row. */
  value?: string;
}

/** Shown from the beginning: an event needs a time, a name or a page, and somebody who did it. */
const FIRST_FIELDS = ["timestamp", "event", "anonymous_id", "user_id", "address", "key"];
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
};

interface MappingProps {
  fields: readonly string[];
  columns: readonly string[];
  given: Readonly<Record<string, Given>>;
  onChange: (given: Readonly<Record<string, Given>>) => void;
}

export function MappingFields({ fields, columns, given, onChange }: MappingProps) {
  const [added, setAdded] = useState<readonly string[]>(() =>
    Object.keys(given).filter((field) => !FIRST_FIELDS.includes(field)),
  );
  const shown = [...FIRST_FIELDS, ...added];
  const change = (field: string, to: Given | undefined) => {
    const { [field]: _, ...others } = given;
    onChange(to === undefined ? others : { ...others, [field]: to });
  };
  return (
    <fieldset className="import-mapping">
      <legend>Which column is what</legend>
      <p className="note">
        A column with the name of a field is that field. Columns that are none become properties of the event.
      </p>
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
        <select value="" onChange={({ target }) => setAdded([...added, target.value])}>
          <option value="">Choose…</option>
          {fields
            .filter((field) => !shown.includes(field))
            .map((field) => (
              <option key={field} value={field}>
                {FIELD_NAMES[field] ?? field}
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
  const name = FIELD_NAMES[field] ?? field;
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
