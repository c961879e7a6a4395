/** Sums of windows that lie over each other. */

/**
 * The sum of the `width` values that end with each value, or of all so far. Two additions a value however wide the
 * windows are: windows of 30 days every five minutes, of 90 days, would be 224 million, on the thread that answers all.
 * Nothing is subtracted, so that no rounding is carried from one window to the next: parts as long as a window are summed
 * from their beginning and from their end, and a window is the end of one part and the beginning of the next.
 */
export function addWindows(values: Float64Array, width: number): Float64Array {
  const fromBegin = Float64Array.from(values);
  const fromEnd = Float64Array.from(values);
  for (let at = 1; at < values.length; at += 1)
    if (at % width !== 0) fromBegin[at] = (fromBegin[at - 1] ?? 0) + (values[at] ?? 0);
  for (let at = values.length - 2; at >= 0; at -= 1)
    if ((at + 1) % width !== 0) fromEnd[at] = (fromEnd[at + 1] ?? 0) + (values[at] ?? 0);
  return fromBegin.map((sum, last) => {
    const first = last - width + 1;
    return first <= 0 || first % width === 0 ? sum : sum + (fromEnd[first] ?? 0);
  });
}
