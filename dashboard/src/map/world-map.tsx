import { type KeyboardEvent, useState } from "react";
import { valueName } from "../format/names.ts";
import { type Format, full } from "../format/numbers.ts";
import world from "./world.json";

interface WorldMapProps {
  /** Two-letter code -> value. */
  values: ReadonlyMap<string, number>;
  format: Format;
  onChoose?: ((code: string, exclude: boolean) => void) | undefined;
}

const PATHS = Object.entries(world.paths);
const DOTS = Object.entries(world.dots) as [string, [number, number]][];

/** Countries shaded by a value. The arrow keys go from the largest to the smallest, Enter filters. */
export function WorldMap({ values, format, onChoose }: WorldMapProps) {
  const [at, setAt] = useState<{ code: string; x: number; y: number }>();
  const largest = Math.max(0, ...values.values());
  const ranked = [...values].filter(([, value]) => value > 0).sort(([, one], [, other]) => other - one);
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const move = moves[event.key];
    if (event.key === "Escape") setAt(undefined);
    if (event.key === "Enter" && at && values.has(at.code)) onChoose?.(at.code, event.shiftKey);
    if (move === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const index = ranked.findIndex(([code]) => code === at?.code);
    const next = ranked[Math.max(0, Math.min(ranked.length - 1, index + move))];
    // Beside the upper left corner: a path has no place that is cheap to ask for.
    if (next) setAt({ code: next[0], x: 0, y: 0 });
  };
  const shade = (code: string) => {
    const value = values.get(code) ?? 0;
    return value > 0 ? { "--heat": 0.12 + 0.88 * Math.sqrt(value / largest) } : undefined;
  };
  const classOf = (code: string) => `country${values.has(code) ? " on" : ""}${at?.code === code ? " at" : ""}`;
  const handlers = (code: string) => ({
    onPointerEnter: () => setAt((before) => ({ x: before?.x ?? 0, y: before?.y ?? 0, code })),
    onPointerLeave: () => setAt(undefined),
    onClick: (event: { shiftKey: boolean }) => {
      if (values.has(code)) onChoose?.(code, event.shiftKey);
    },
  });
  return (
    <div
      className="world keys"
      onPointerMove={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        setAt((before) => before && { ...before, x: event.clientX - box.left, y: event.clientY - box.top });
      }}
    >
      <svg
        viewBox={`0 0 ${world.width} ${world.height}`}
        role="img"
        aria-label={`World map, ${ranked.length} countries with visits. Arrow keys read them, Enter filters.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move along the countries.
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(undefined)}
      >
        {PATHS.map(([code, path]) => (
          <path
            key={code}
            d={path}
            className={classOf(code)}
            style={shade(code) as Record<string, number> | undefined}
            {...handlers(code)}
          />
        ))}
        {DOTS.filter(([code]) => values.has(code)).map(([code, [x, y]]) => (
          <circle
            key={code}
            cx={x}
            cy={y}
            r={5}
            className={classOf(code)}
            style={shade(code) as Record<string, number> | undefined}
            {...handlers(code)}
          />
        ))}
      </svg>
      {at ? (
        <div className="chart-tip" style={{ left: at.x + 14, top: at.y + 14 }} aria-live="polite">
          <strong>{valueName("location", at.code)}</strong>
          <span>{full(values.get(at.code) ?? 0, format)}</span>
        </div>
      ) : null}
    </div>
  );
}
