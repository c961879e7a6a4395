import { area, line } from "d3-shape";

const [WIDTH, HEIGHT] = [96, 28];

/** The shape of a series without numbers; whatever it decorates names the value. */
export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const high = Math.max(...values, 0);
  const low = Math.min(...values, 0);
  const x = (_: number, index: number) => (index / (values.length - 1)) * WIDTH;
  const y = (value: number) => (high === low ? HEIGHT - 1 : 1 + (1 - (value - low) / (high - low)) * (HEIGHT - 2));
  const path = line<number>(x, y)(values);
  const under = area<number>(x, HEIGHT, y)(values);
  return (
    <svg className="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path className="area" d={under ?? ""} />
      <path className="line" d={path ?? ""} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
