/** The two axes of a chart, and the keys that move along its points. */
import type { KeyboardEvent } from "react";
import { type Format, tickText } from "../format/numbers.ts";
import { labelIndexes } from "./scale.ts";

export const MARGIN = { top: 10, right: 2, bottom: 24, left: 44 };
const LABEL_WIDTH = 76;

/** A value's or an index's place in pixels. */
export type Place = (value: number) => number;

interface Movement {
  at: number | undefined;
  count: number;
  setAt: (at: number | undefined) => void;
}

/** Arrow keys move along the points, and Escape leaves them. */
export function movePoint(event: KeyboardEvent, { at, count, setAt }: Movement): void {
  const moves: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  const move = moves[event.key];
  if (event.key === "Escape") setAt(undefined);
  if (move === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const from = at ?? (move > 0 ? -1 : count);
  setAt(Math.max(0, Math.min(count - 1, from + move)));
}

export function YAxis({
  ticks,
  y,
  width,
  format,
}: {
  ticks: readonly number[];
  y: Place;
  width: number;
  format: Format;
}) {
  return (
    <g className="axis">
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={MARGIN.left} x2={width} y1={y(tick)} y2={y(tick)} className={tick === 0 ? "zero" : undefined} />
          <text x={MARGIN.left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
            {tickText(tick, format)}
          </text>
        </g>
      ))}
    </g>
  );
}

interface XAxisProps {
  points: readonly { axis: string }[];
  x: Place;
  inner: number;
  y: number;
  bars: boolean;
}

export function XAxis({ points, x, inner, y, bars }: XAxisProps) {
  const indexes = labelIndexes(points.length, inner, LABEL_WIDTH);
  return (
    <g className="axis">
      {indexes.map((index) => (
        <text
          key={index}
          x={x(index)}
          y={y}
          textAnchor={
            index === 0 && !bars ? "start" : x(index) > MARGIN.left + inner - LABEL_WIDTH / 3 ? "end" : "middle"
          }
        >
          {points[index]?.axis}
        </text>
      ))}
    </g>
  );
}
