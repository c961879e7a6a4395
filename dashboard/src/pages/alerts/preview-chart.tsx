/** Drawings of a look back: a number with its bounds and firings, and matches by day. Their tables stand beside them. */
import type { EventPreview, MetricPreview } from "../../../../src/contract/metric-alerts.ts";
import { useWidth } from "../../charts/use-width.ts";
import { shortDayText } from "../../format/dates.ts";
import { full, tickText } from "../../format/numbers.ts";
import { wallTime } from "../../format/zone.ts";

const HEIGHT = 180;
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 8, 8, 24];
/** A firing of one evaluation in a month would be half a pixel wide. */
const LEAST_BAND = 3;

interface Frame {
  width: number;
  x: (ms: number) => number;
  y: (value: number) => number;
}

export function NumberLine({ points, firings }: Pick<MetricPreview, "points" | "firings">) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const times = points.map(({ time }) => Date.parse(time));
  const [from = 0, to = 1] = [times[0], times.at(-1)];
  const values = points.flatMap(({ value, lower, upper }) => [value, lower, upper].filter((one) => one != null));
  const [low, high] = [Math.min(0, ...values), Math.max(1, ...values)];
  const span = Math.max(1, to - from);
  const frame: Frame = {
    width,
    x: (ms) => LEFT + ((ms - from) / span) * (width - LEFT - RIGHT),
    y: (value) => HEIGHT - BOTTOM - ((value - low) / (high - low)) * (HEIGHT - TOP - BOTTOM),
  };
  const pathOf = (read: (point: MetricPreview["points"][number]) => number | null | undefined) =>
    linePath(
      points.map((point, at) => [frame.x(times[at] ?? 0), read(point)] as const),
      frame.y,
    );
  const words = `The number over the last 30 days, from ${full(low, "number")} to ${full(high, "number")}, with ${firings.length} firings`;
  return (
    <div ref={ref} className="alert-chart">
      {width > 0 ? (
        <svg width={width} height={HEIGHT} role="img" aria-label={words}>
          <Ticks frame={frame} low={low} high={high} />
          <Days frame={frame} from={from} to={to} />
          {firings.map((firing) => {
            const x = frame.x(Date.parse(firing.from));
            const end = frame.x(firing.to === null ? to : Date.parse(firing.to));
            return (
              <rect
                key={firing.from}
                className="alert-band"
                {...{ x, y: TOP, width: Math.max(LEAST_BAND, end - x), height: HEIGHT - TOP - BOTTOM }}
              />
            );
          })}
          <path className="alert-bound" d={pathOf(({ lower }) => lower)} />
          <path className="alert-bound" d={pathOf(({ upper }) => upper)} />
          <path className="alert-line" d={pathOf(({ value }) => value)} />
        </svg>
      ) : null}
      <p className="alert-legend" aria-hidden="true">
        <span className="alert-key-line" /> the number <span className="alert-key-bound" /> its bound{" "}
        <span className="alert-key-band" /> would have fired
      </p>
    </div>
  );
}

/** Places without a value break the line. */
function linePath(points: readonly (readonly [number, number | null | undefined])[], y: Frame["y"]): string {
  let isBroken = true;
  return points
    .map(([x, value]) => {
      if (value == null) {
        isBroken = true;
        return "";
      }
      const step = `${isBroken ? "M" : "L"}${x.toFixed(1)} ${y(value).toFixed(1)}`;
      isBroken = false;
      return step;
    })
    .join("");
}

function Ticks({ frame, low, high }: { frame: Frame; low: number; high: number }) {
  return [low, (low + high) / 2, high].map((value) => (
    <g key={value} className="alert-tick">
      <line x1={LEFT} x2={frame.width - RIGHT} y1={frame.y(value)} y2={frame.y(value)} />
      <text x={LEFT - 6} y={frame.y(value) + 4} textAnchor="end">
        {tickText(value, "number")}
      </text>
    </g>
  ));
}

const DAY_MS = 86_400_000;
const DAY_LABELS = 4;

function Days({ frame, from, to }: { frame: Frame; from: number; to: number }) {
  const days = Math.max(1, Math.round((to - from) / DAY_MS));
  const step = Math.max(1, Math.ceil(days / DAY_LABELS)) * DAY_MS;
  // Days of the project's zone, by what its clocks show.
  const first = Math.ceil(wallTime(from) / DAY_MS) * DAY_MS;
  const starts = Array.from({ length: DAY_LABELS + 1 }, (_, nth) => first + nth * step)
    .map((wall) => ({ wall, at: momentOf(wall) }))
    .filter(({ at }) => at <= to);
  return starts.map(({ wall, at }) => (
    <text key={wall} className="alert-day" x={frame.x(at)} y={HEIGHT - 6} textAnchor="middle">
      {shortDayText(new Date(wall).toISOString().slice(0, 10))}
    </text>
  ));
}

/** When clocks of the zone show a time: the second guess knows of a change of clocks. */
function momentOf(wall: number): number {
  const guess = wall - (wallTime(wall) - wall);
  return wall - (wallTime(guess) - guess);
}

export function DayBars({ days, what }: Pick<EventPreview, "days"> & { what: "Events" | "Wallets" }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const most = Math.max(1, ...days.map(({ matches }) => matches));
  // Half of it is a number of events, too.
  const top = most + (most % 2);
  const frame: Frame = {
    width,
    x: (at) => LEFT + (at / Math.max(1, days.length)) * (width - LEFT - RIGHT),
    y: (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM),
  };
  const words = `${what} that match, of each of the last ${days.length} days, at most ${full(most, "count")}`;
  return (
    <div ref={ref} className="alert-chart">
      {width > 0 ? (
        <svg width={width} height={HEIGHT} role="img" aria-label={words}>
          <Ticks frame={frame} low={0} high={top} />
          {days.map(({ date, matches }, at) => (
            <g key={date}>
              <rect
                className="alert-bar"
                x={frame.x(at) + 1}
                y={frame.y(matches)}
                width={Math.max(1, frame.x(at + 1) - frame.x(at) - 2)}
                height={Math.max(0, frame.y(0) - frame.y(matches))}
              >
                <title>{`${shortDayText(date)}: ${full(matches, "count")}`}</title>
              </rect>
              {at % Math.ceil(days.length / DAY_LABELS) === 0 ? (
                <text className="alert-day" x={frame.x(at + 0.5)} y={HEIGHT - 6} textAnchor="middle">
                  {shortDayText(date)}
                </text>
              ) : null}
            </g>
          ))}
        </svg>
      ) : null}
    </div>
  );
}
