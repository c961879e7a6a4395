import { useState } from "react";
import { valueName } from "../format/names.ts";
import { type Format, full } from "../format/numbers.ts";
import world from "./world.json";

interface WorldMapProps {
  /** Two-letter code -> value. */
  values: ReadonlyMap<string, number>;
  format: Format;
  onChoose: (code: string, exclude: boolean) => void;
}

const PATHS = Object.entries(world.paths);
const DOTS = Object.entries(world.dots) as [string, [number, number]][];

/** Countries shaded by a value. The list beside it has the same rows for the keyboard. */
export function WorldMap({ values, format, onChoose }: WorldMapProps) {
  const [at, setAt] = useState<{ code: string; x: number; y: number }>();
  const largest = Math.max(0, ...values.values());
  const known = [...values.values()].filter((value) => value > 0).length;
  const shade = (code: string) => {
    const value = values.get(code) ?? 0;
    return value > 0 ? { "--heat": 0.12 + 0.88 * Math.sqrt(value / largest) } : undefined;
  };
  const handlers = (code: string) => ({
    onPointerEnter: () => setAt((before) => ({ x: before?.x ?? 0, y: before?.y ?? 0, code })),
    onPointerLeave: () => setAt(undefined),
    onClick: (event: { shiftKey: boolean }) => {
      if (values.has(code)) onChoose(code, event.shiftKey);
    },
  });
  return (
    <div
      className="world"
      onPointerMove={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        setAt((before) => before && { ...before, x: event.clientX - box.left, y: event.clientY - box.top });
      }}
    >
      <svg
        viewBox={`0 0 ${world.width} ${world.height}`}
        role="img"
        aria-label={`World map, ${known} countries with visits`}
      >
        {PATHS.map(([code, path]) => (
          <path
            key={code}
            d={path}
            className={values.has(code) ? "country on" : "country"}
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
            className="country on"
            style={shade(code) as Record<string, number> | undefined}
            {...handlers(code)}
          />
        ))}
      </svg>
      {at ? (
        <div className="chart-tip" style={{ left: at.x + 14, top: at.y + 14 }}>
          <strong>{valueName("location", at.code)}</strong>
          <span>{full(values.get(at.code) ?? 0, format)}</span>
        </div>
      ) : null}
    </div>
  );
}
