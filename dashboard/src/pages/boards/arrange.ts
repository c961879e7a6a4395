/** The order and the places of charts on a board. */
import { LAYOUT } from "../../../../src/contract/chart-types.ts";
import type { SavedChart } from "../../api/boards.ts";
import { heightOf, widthOf } from "../../panels/chart-place.ts";

export interface Place {
  width: number;
  height: number;
}

export const placeOf = (chart: SavedChart): Place => ({ width: widthOf(chart), height: heightOf(chart) });

/** The order with one chart at another place. */
export function movedTo(charts: readonly SavedChart[], id: string, to: number): readonly SavedChart[] {
  const from = charts.findIndex((chart) => chart.id === id);
  const at = Math.max(0, Math.min(charts.length - 1, to));
  if (from < 0 || from === at) return charts;
  const next = [...charts];
  next.splice(at, 0, ...next.splice(from, 1));
  return next;
}

/** The place with one more or one less of a side; undefined where it has no more. */
export function resized(place: Place, side: keyof Place, by: 1 | -1): Place | undefined {
  const { minimum, maximum } = LAYOUT[side];
  const size = place[side] + by;
  return size < minimum || size > maximum ? undefined : { ...place, [side]: size };
}

export type Step = { kind: "move"; by: 1 | -1 } | { kind: "size"; side: keyof Place; by: 1 | -1 };

/** What Alt with an arrow does, and with Shift. */
export function stepOfKey({ key, altKey, shiftKey, ctrlKey, metaKey }: KeyLike): Step | undefined {
  if (!altKey || ctrlKey || metaKey) return undefined;
  const by =
    key === "ArrowRight" || key === "ArrowDown" ? 1 : key === "ArrowLeft" || key === "ArrowUp" ? -1 : undefined;
  if (by === undefined) return undefined;
  if (!shiftKey) return { kind: "move", by };
  return { kind: "size", side: key === "ArrowLeft" || key === "ArrowRight" ? "width" : "height", by };
}

/** The parts of a keyboard event that count. */
interface KeyLike {
  readonly key: string;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

const HEIGHTS = ["low", "medium", "high"] as const;

/** For the live region: "Visitors moved to place 3 of 6". */
export function movedText(charts: readonly SavedChart[], id: string): string {
  const at = charts.findIndex((chart) => chart.id === id);
  return `${charts[at]?.title ?? ""} moved to place ${at + 1} of ${charts.length}`;
}

export function sizedText(title: string, { width, height }: Place, side: keyof Place): string {
  return side === "width"
    ? `${title} is ${width === 1 ? "1 column" : `${width} columns`} wide of ${LAYOUT.width.maximum}`
    : `${title} is ${HEIGHTS[height - 1] ?? ""}`;
}
