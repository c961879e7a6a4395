import type { Series } from "../drawings.ts";

/** From where to where each value of a series is drawn; null where it has none. */
export type Band = readonly (readonly [foot: number, top: number] | null)[];

/** From the zero line, or each on top of those before it: what is less than zero goes down by itself. */
export function bandsOf(series: readonly Series[], isStacked: boolean): Band[] {
  const [up, down] = [new Map<number, number>(), new Map<number, number>()];
  return series.map(({ values }) =>
    values.map((value, index) => {
      if (!isStacked) return value === null ? null : ([0, value] as const);
      const heap = (value ?? 0) < 0 ? down : up;
      const foot = heap.get(index) ?? 0;
      heap.set(index, foot + (value ?? 0));
      return [foot, foot + (value ?? 0)] as const;
    }),
  );
}
