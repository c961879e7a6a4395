import { area, line } from "d3-shape";
import { type KeyboardEvent, type PointerEvent, useId, useMemo, useState } from "react";
import { type Format, full } from "../format/numbers.ts";
import { MARGIN, movePoint, type Place, XAxis, YAxis } from "./axes.tsx";
import type { Annotation, TimeChartProps } from "./drawings.ts";
import { valueAxis } from "./scale.ts";
import type { TimePoint } from "./time-point.ts";
import { ChartTooltip } from "./tooltip.tsx";
import { useWidth } from "./use-width.ts";

/**
 * One measure over time with its comparison. Mouse, touch and arrow keys move along the points. Written by hand on
 * d3-shape: with ECharts the first screen had 328 kB of scripts instead of 144.
 */
export function TimeChart(props: TimeChartProps) {
  const { label, points, format, bars = false, height = 260, annotations = [], onZoom } = props;
  const [ref, width] = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number>();
  const [dragFrom, setDragFrom] = useState<number>();
  const clip = useId();
  const inner = Math.max(0, width - MARGIN.left - MARGIN.right);
  const bottom = height - MARGIN.bottom;
  const axis = useMemo(() => {
    const values = points.flatMap(({ value, previous }) => [value ?? 0, previous ?? 0]);
    return valueAxis(values, format === "count");
  }, [points, format]);
  const step = inner / Math.max(1, bars ? points.length : points.length - 1);
  const x = (index: number) =>
    MARGIN.left + (bars ? step * (index + 0.5) : points.length === 1 ? inner / 2 : step * index);
  const y = (value: number) => bottom - axis.place(value) * (bottom - MARGIN.top);
  const indexAt = (event: PointerEvent<Element>) => {
    const left = event.currentTarget.getBoundingClientRect().left;
    const position = (event.clientX - left - MARGIN.left) / step;
    return Math.max(0, Math.min(points.length - 1, bars ? Math.floor(position) : Math.round(position)));
  };
  const finishDrag = (to: number | undefined) => {
    if (dragFrom !== undefined && to !== undefined && to !== dragFrom) {
      onZoom?.(Math.min(dragFrom, to), Math.max(dragFrom, to));
    }
    setDragFrom(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => movePoint(event, { at, count: points.length, setAt });
  const shown = at === undefined ? undefined : points[at];
  return (
    <div ref={ref} className="chart keys" style={{ height }}>
      {width > 0 ? (
        <svg
          role="img"
          aria-label={`${label}. ${points.length} points. Arrow keys read them; the table view lists them.`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move along the points.
          tabIndex={0}
          width={width}
          height={height}
          className={onZoom ? "zoomable" : undefined}
          onKeyDown={onKeyDown}
          onBlur={() => setAt(undefined)}
          onPointerMove={(event) => setAt(indexAt(event))}
          onPointerLeave={() => {
            setAt(undefined);
            setDragFrom(undefined);
          }}
          onPointerDown={(event) => {
            if (onZoom && event.button === 0 && event.pointerType === "mouse") setDragFrom(indexAt(event));
          }}
          onPointerUp={(event) => finishDrag(indexAt(event))}
        >
          <YAxis ticks={axis.ticks} y={y} width={width} format={format} />
          <XAxis points={points} x={x} inner={inner} y={height - 6} bars={bars} />
          {dragFrom !== undefined && at !== undefined ? (
            <rect
              className="drag"
              x={Math.min(x(dragFrom), x(at))}
              y={MARGIN.top}
              width={Math.abs(x(at) - x(dragFrom))}
              height={bottom - MARGIN.top}
            />
          ) : null}
          {bars ? (
            <Bars points={points} x={x} y={y} step={step} at={at} />
          ) : (
            <Lines points={points} x={x} y={y} clip={clip} width={width} height={height} />
          )}
          <Notes annotations={annotations} x={x} bottom={bottom} />
          {at !== undefined && shown && !bars ? <PointMark point={shown} left={x(at)} y={y} bottom={bottom} /> : null}
        </svg>
      ) : null}
      {at !== undefined && shown ? (
        <ChartTooltip left={x(at)} width={width}>
          <PointText point={shown} format={format} notes={annotations.filter(({ index }) => index === at)} />
        </ChartTooltip>
      ) : null}
    </div>
  );
}

interface PointTextProps {
  point: TimePoint;
  format: Format;
  notes: readonly Annotation[];
}

function PointText({ point, format, notes }: PointTextProps) {
  return (
    <>
      <strong>{point.label}</strong>
      <span className="tip-row">
        <i className="mark now" />
        {point.value === null ? "–" : full(point.value, format)}
        {point.note || point.partial ? <small>{point.note ?? "so far"}</small> : null}
      </span>
      {point.previous == null ? null : (
        <span className="tip-row">
          <i className="mark before" />
          {full(point.previous, format)}
          {point.previousLabel ? <small>{point.previousLabel}</small> : null}
        </span>
      )}
      {notes.map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two notes may have the same text.
        <span key={index} className="tip-note">
          {note.text}
        </span>
      ))}
    </>
  );
}

function Notes({ annotations, x, bottom }: { annotations: readonly Annotation[]; x: Place; bottom: number }) {
  return (
    <>
      {annotations.map((note, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two notes may have the same day and text.
        <g key={at} className="annotation">
          <line x1={x(note.index)} x2={x(note.index)} y1={MARGIN.top} y2={bottom} />
          <circle cx={x(note.index)} cy={MARGIN.top} r={4} />
        </g>
      ))}
    </>
  );
}

function PointMark({ point, left, y, bottom }: { point: TimePoint; left: number; y: Place; bottom: number }) {
  return (
    <g className="hover">
      <line x1={left} x2={left} y1={MARGIN.top} y2={bottom} />
      {point.previous == null ? null : <circle className="previous" cx={left} cy={y(point.previous)} r={3} />}
      {point.value === null ? null : <circle cx={left} cy={y(point.value)} r={4} />}
    </g>
  );
}

interface LinesProps {
  points: readonly TimePoint[];
  x: Place;
  y: Place;
  clip: string;
  width: number;
  height: number;
}

/** The last stretch, which leads to a bucket that is not over, is drawn lighter. */
function Lines({ points, x, y, clip, width, height }: LinesProps) {
  const last = points.at(-1);
  const cut = last?.partial && points.length > 1 ? x(points.length - 2) : width;
  const indexes = points.map((_, index) => index);
  const current = (index: number) => points[index]?.value ?? 0;
  const isKnown = (index: number) => points[index]?.value !== null;
  const path = line<number>(
    (index) => x(index),
    (index) => y(current(index)),
  ).defined(isKnown)(indexes);
  const under = area<number>(
    (index) => x(index),
    y(0),
    (index) => y(current(index)),
  ).defined(isKnown)(indexes);
  const before = line<number>(
    (index) => x(index),
    (index) => y(points[index]?.previous ?? 0),
  ).defined((index) => points[index]?.previous != null)(indexes);
  return (
    <g>
      <clipPath id={`${clip}-done`}>
        <rect x={0} y={0} width={cut} height={height} />
      </clipPath>
      <clipPath id={`${clip}-open`}>
        <rect x={cut} y={0} width={Math.max(0, width - cut)} height={height} />
      </clipPath>
      {before ? <path className="line previous" d={before} /> : null}
      {under ? <path className="area" d={under} /> : null}
      {path ? <path className="line" d={path} clipPath={`url(#${clip}-done)`} /> : null}
      {path && cut < width ? <path className="line partial" d={path} clipPath={`url(#${clip}-open)`} /> : null}
      {points.length === 1 && points[0]?.value != null ? (
        <circle className="single" cx={x(0)} cy={y(points[0].value)} r={4} />
      ) : null}
    </g>
  );
}

interface BarsProps {
  points: readonly TimePoint[];
  x: Place;
  y: Place;
  step: number;
  at: number | undefined;
}

const MOST_BAR_WIDTH = 36;

function Bars({ points, x, y, step, at }: BarsProps) {
  const paired = points.some(({ previous }) => previous != null);
  const width = Math.max(1, Math.min(MOST_BAR_WIDTH, step * 0.72)) / (paired ? 2 : 1);
  return (
    <g>
      {points.map((point, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a point is its place; two may have the same name.
        <g key={index} className={at !== undefined && at !== index ? "dim" : undefined}>
          {paired ? (
            <Bar className="bar previous" x={x(index) - width} width={width} value={point.previous} y={y} />
          ) : null}
          <Bar
            className={point.partial ? "bar partial" : "bar"}
            x={paired ? x(index) : x(index) - width / 2}
            width={width}
            value={point.value}
            y={y}
          />
        </g>
      ))}
    </g>
  );
}

interface BarProps {
  className: string;
  x: number;
  width: number;
  value: number | null | undefined;
  y: Place;
}

function Bar({ className, x, width, value, y }: BarProps) {
  if (value == null || value === 0) return null;
  const [top, foot] = [Math.min(y(value), y(0)), Math.max(y(value), y(0))];
  return (
    <rect
      className={className}
      x={x}
      y={top}
      width={Math.max(0, width - 1)}
      height={foot - top}
      rx={Math.min(2, width / 4)}
    />
  );
}
