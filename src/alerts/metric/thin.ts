/** Fewer points of a preview, which draw the same line. */
import type { PreviewPoint } from "../../contract/metric-alerts.ts";

/** Of each part of the line: its first point, the lowest, the highest, the first of another state, and its last point. */
const PER_PART = 5;

export function thin(points: readonly PreviewPoint[], most: number): PreviewPoint[] {
  if (points.length <= most) return [...points];
  const length = Math.ceil(points.length / Math.floor(most / PER_PART));
  const kept: PreviewPoint[] = [];
  for (let from = 0; from < points.length; from += length) {
    const part = points.slice(from, from + length);
    const byValue = part.filter(({ value }) => value !== null).sort((a, b) => Number(a.value) - Number(b.value));
    const other = part.find(({ state }) => state !== part[0]?.state);
    const chosen = new Set([part[0], byValue[0], byValue.at(-1), other, part.at(-1)]);
    kept.push(...part.filter((point) => chosen.has(point)));
  }
  return kept;
}
