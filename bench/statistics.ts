export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** Growth of y per unit of x, by least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const xy = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const xx = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return xx === 0 ? 0 : xy / xx;
}

export interface Weighted {
  readonly value: number;
  readonly weight: number;
}

export function weightedQuantile(values: readonly Weighted[], q: number): number {
  const sorted = [...values].sort((a, b) => a.value - b.value);
  let left = sorted.reduce((sum, { weight }) => sum + weight, 0) * q;
  for (const { value, weight } of sorted) {
    left -= weight;
    if (left <= 0) return value;
  }
  return Number.NaN;
}
