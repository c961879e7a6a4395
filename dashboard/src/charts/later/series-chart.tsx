import { area, line } from "d3-shape";
import { type PointerEvent, useState } from "react";
import { full } from "../../format/numbers.ts";
import { MARGIN, movePoint, type Place, XAxis, YAxis } from "../axes.tsx";
import type { Series, SeriesChartProps } from "../drawings.ts";
import { valueAxis } from "../scale.ts";
import { ChartTooltip } from "../tooltip.tsx";
import { useWidth } from "../use-width.ts";
import { type Band, bandsOf } from "./bands.ts";
import "./series.css";

/** Up to eight series along one axis, as lines, areas or bars. Mouse, touch and arrow keys move along the places. */
export function SeriesChart(props: SeriesChartProps) {
  const { label, places, series, shape, isStacked, left = 0, leftName = "column", format } = props;
  const { height = 220, hasLegend = false } = props;
  const [ref, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const bars = shape === "bar";
  const bands = bandsOf(series, isStacked);
  const axis = valueAxis(
    bands.flatMap((band) => band.flatMap((span) => span ?? [])),
    format === "count",
  );
  const inner = Math.max(0, width - MARGIN.left - MARGIN.right);
  const bottom = height - MARGIN.bottom;
  const step = inner / Math.max(1, bars ? places.length : places.length - 1);
  const x = (index: number) =>
    MARGIN.left + (bars ? step * (index + 0.5) : places.length === 1 ? inner / 2 : step * index);
  const y = (value: number) => bottom - axis.place(value) * (bottom - MARGIN.top);
  const indexAt = (event: PointerEvent<Element>) => {
    const position = (event.clientX - event.currentTarget.getBoundingClientRect().left - MARGIN.left) / step;
    return Math.max(0, Math.min(places.length - 1, bars ? Math.floor(position) : Math.round(position)));
  };
  const shown = at === undefined ? undefined : places[at];
  return (
    <>
      <div ref={ref} className="chart keys" style={{ height }}>
        {width > 0 ? (
          <svg
            role="img"
            aria-label={`${label}. ${places.length} points. Arrow keys read them; the table view lists them.`}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move along the points.
            tabIndex={0}
            width={width}
            height={height}
            onKeyDown={(event) => movePoint(event, { at, count: places.length, setAt })}
            onBlur={() => setAt(undefined)}
            onPointerMove={(event) => setAt(indexAt(event))}
            onPointerLeave={() => setAt(undefined)}
          >
            <YAxis ticks={axis.ticks} y={y} width={width} format={format} />
            <XAxis points={places} x={x} inner={inner} y={height - 6} bars={bars} />
            {bands.map((band, nth) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a series is its place; two may have the same name.
              <g key={nth} className={series[nth]?.isBefore ? "series-before" : `series-${nth + 1}`}>
                {bars ? (
                  <Bars
                    band={band}
                    nth={isStacked ? 0 : nth}
                    of={isStacked ? 1 : bands.length}
                    {...{ x, y, step, at }}
                  />
                ) : (
                  <Line band={band} x={x} y={y} isFilled={shape === "area"} isStacked={isStacked} />
                )}
              </g>
            ))}
            {at !== undefined && shown && !bars ? <Hover bands={bands} at={at} x={x} y={y} bottom={bottom} /> : null}
          </svg>
        ) : null}
        {at !== undefined && shown ? (
          <ChartTooltip left={x(at)} width={width}>
            <strong>{shown.label}</strong>
            {series.map(({ name, values }, nth) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: see above.
              <span key={nth} className="series-tip">
                <i className={`series-mark ${series[nth]?.isBefore ? "series-before" : `series-${nth + 1}`}`} />
                {name}
                <b>{values[at] == null ? "–" : full(values[at], format)}</b>
              </span>
            ))}
          </ChartTooltip>
        ) : null}
      </div>
      {hasLegend || series.length > 1 ? <Legend series={series} /> : null}
      {left > 0 ? (
        <p className="note">{left === 1 ? `1 more ${leftName} is` : `${left} more ${leftName}s are`} in the table.</p>
      ) : null}
    </>
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <ul className="series-legend" aria-label="Series">
      {series.map(({ name, isBefore }, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: see above.
        <li key={nth}>
          <span className={`series-mark ${isBefore ? "series-before" : `series-${nth + 1}`}`} aria-hidden="true" />
          <span title={name}>{name}</span>
        </li>
      ))}
    </ul>
  );
}

interface LineProps {
  band: Band;
  x: Place;
  y: Place;
  isFilled: boolean;
  isStacked: boolean;
}

function Line({ band, x, y, isFilled, isStacked }: LineProps) {
  const indexes = band.map((_, index) => index);
  const foot = (index: number) => y(band[index]?.[0] ?? 0);
  const top = (index: number) => y(band[index]?.[1] ?? 0);
  const isKnown = (index: number) => band[index] != null;
  const path = line<number>((index) => x(index), top).defined(isKnown)(indexes);
  const ground = area<number>((index) => x(index), foot, top).defined(isKnown)(indexes);
  // Without a neighbour there is no line to see.
  const alone = indexes.filter((index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1));
  return (
    <>
      {isFilled && ground ? (
        <path className={isStacked ? "series-ground stacked" : "series-ground"} d={ground} />
      ) : null}
      {path ? <path className="series-line" d={path} /> : null}
      {alone.map((index) => (
        <circle key={index} className="series-dot" cx={x(index)} cy={top(index)} r={4} />
      ))}
    </>
  );
}

interface BarsProps {
  band: Band;
  /** Beside each other: the place of this one, and how many there are. */
  nth: number;
  of: number;
  x: Place;
  y: Place;
  step: number;
  at: number | undefined;
}

const MOST_BAR_WIDTH = 36;
/** With gaps between bars of two pixels, half of the chart would be gaps. */
const LEAST_STEP = 5;

function Bars({ band, nth, of, x, y, step, at }: BarsProps) {
  const all = Math.max(1, Math.min(MOST_BAR_WIDTH * of, step < LEAST_STEP ? step : step * 0.76));
  const width = all / of;
  return (
    <>
      {band.map((span, index) => {
        if (span === null || span[0] === span[1]) return null;
        const [one, other] = [y(span[0]), y(span[1])];
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place.
            key={index}
            className={at !== undefined && at !== index ? "series-bar dim" : "series-bar"}
            x={x(index) - all / 2 + nth * width}
            y={Math.min(one, other)}
            width={Math.max(0.5, width - (of > 1 && width > 3 ? 1 : 0))}
            height={Math.abs(one - other)}
          />
        );
      })}
    </>
  );
}

function Hover({
  bands,
  at,
  x,
  y,
  bottom,
}: {
  bands: readonly Band[];
  at: number;
  x: Place;
  y: Place;
  bottom: number;
}) {
  return (
    <g className="series-hover">
      <line x1={x(at)} x2={x(at)} y1={MARGIN.top} y2={bottom} />
      {bands.map((band, nth) => {
        const span = band[at];
        return span == null ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: see above.
          <g key={nth} className={`series-${nth + 1}`}>
            <circle className="series-dot" cx={x(at)} cy={y(span[1])} r={4} />
          </g>
        );
      })}
    </g>
  );
}
