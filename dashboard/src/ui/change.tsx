import { change, changeText, type Format, full } from "../format/numbers.ts";

interface ChangeProps {
  now: number | null;
  before: number | null;
  format: Format;
  lowerIsBetter?: boolean;
}

/** The change against the comparison, on whole days; its title has both numbers. */
export function Change({ now, before, format, lowerIsBetter = false }: ChangeProps) {
  if (now === null || before === null) return null;
  const value = change(now, before);
  const title = `${full(now, format)} on the whole days of the period, ${full(before, format)} before`;
  if (value === undefined) {
    return (
      <span className="change" title={title}>
        new
      </span>
    );
  }
  const worse = lowerIsBetter ? value > 0 : value < 0;
  const direction = Math.abs(value) < 0.005 ? "" : worse ? "worse" : "better";
  return (
    <span className={`change ${direction}`} title={title}>
      {changeText(value)}
    </span>
  );
}
