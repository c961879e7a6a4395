interface ColumnSelectProps {
  label: string;
  value: string;
  names: readonly string[];
  /** The choice of none. */
  none?: string;
  className?: string;
  onChange: (name: string) => void;
}

/** One of the columns of an answer. */
export function ColumnSelect({
  label,
  value,
  names,
  none = "choose a column",
  className,
  onChange,
}: ColumnSelectProps) {
  return (
    <label className={className}>
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        <option value="">{none}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
