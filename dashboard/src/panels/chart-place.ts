/** The place of a chart on a board: columns of four, and one of three heights. */
import type { ChartFields } from "../api/boards.ts";

export const heightOf = ({ settings }: ChartFields) => clamp(settings?.layout?.height, 1, 3);
export const widthOf = ({ settings }: ChartFields) => clamp(settings?.layout?.width, 1, 4);

const USUAL = 2;

function clamp(value: number | undefined, least: number, most: number): number {
  return Math.min(most, Math.max(least, value ?? USUAL));
}
