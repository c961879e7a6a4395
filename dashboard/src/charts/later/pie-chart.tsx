import { full, share } from "../../format/numbers.ts";
import { uniqueKeys } from "../../format/unique-keys.ts";
import type { PieChartProps } from "../drawings.ts";
import "./series.css";

const RADIUS = 100;
const HOLE = 58;

const TURN = 2 * Math.PI;

/** A part of the ring, from one share of the turn to another, beginning at the top. */
function ringPart(from: number, to: number): string {
  // A whole turn would end where it begins, and draw nothing.
  const end = Math.min(to, from + 0.99999);
  const at = (share: number, radius: number) =>
    `${(radius * Math.sin(share * TURN)).toFixed(3)} ${(-radius * Math.cos(share * TURN)).toFixed(3)}`;
  const large = end - from > 0.5 ? 1 : 0;
  return (
    `M${at(from, RADIUS)}A${RADIUS} ${RADIUS} 0 ${large} 1 ${at(end, RADIUS)}` +
    `L${at(end, HOLE)}A${HOLE} ${HOLE} 0 ${large} 0 ${at(from, HOLE)}Z`
  );
}

/** A ring and its list: the list has the names and numbers, so that no colour has to be told apart. */
export function PieChart({ label, slices, left, format }: PieChartProps) {
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  const ends = slices.map((_, index) =>
    total > 0 ? slices.slice(0, index + 1).reduce((sum, { value }) => sum + value, 0) / total : 0,
  );
  const keys = uniqueKeys(slices.map(({ name }) => name));
  return (
    <div className="pie">
      <svg
        viewBox={`${-RADIUS} ${-RADIUS} ${2 * RADIUS} ${2 * RADIUS}`}
        role="img"
        aria-label={`${label}. ${slices.length} parts, listed beside it.`}
      >
        {slices.map(({ name, value }, index) => (
          <g key={keys[index]} className={`series-${index + 1}`}>
            <path className="pie-slice" d={ringPart(ends[index - 1] ?? 0, ends[index] ?? 0)}>
              <title>{`${name}: ${full(value, format)}`}</title>
            </path>
          </g>
        ))}
      </svg>
      <ol className="pie-list">
        {slices.map(({ name, value }, index) => (
          <li key={keys[index]}>
            <span className={`series-mark series-${index + 1}`} aria-hidden="true" />
            <span className="pie-name" title={name}>
              <bdi>{name}</bdi>
            </span>
            <span>{full(value, format)}</span>
            <span className="pie-share">{share(value, total)}</span>
          </li>
        ))}
      </ol>
      {left > 0 ? <p className="note">{left === 1 ? "1 more is" : `${left} more are`} in the table.</p> : null}
    </div>
  );
}
