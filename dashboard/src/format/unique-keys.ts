/**
 * Keys for React, in the order of the values: a value with the number of its like before it. React never removes rows
 * whose keys are the same.
 */
export function uniqueKeys(values: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return values.map((value) => {
    const before = counts.get(value) ?? 0;
    counts.set(value, before + 1);
    return JSON.stringify([value, before]);
  });
}
