/** Some of the items, up to the one before `to`. No other part of the same items has its `path`. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly path: string;
}

export interface Refused<Problem> {
  /** Its position among the items. */
  readonly nth: number;
  readonly problem: Problem;
}

/**
 * Stores items of which the engine may refuse some: halving isolates those, so that they do not block the others.
 * `store` resolves with the problem of a part that was refused.
 */
export async function findRefused<Problem>(
  count: number,
  store: (part: Part) => Promise<Problem | undefined>,
): Promise<Refused<Problem>[]> {
  async function halve(part: Part): Promise<Refused<Problem>[]> {
    const { from, to, path } = part;
    const problem = await store(part);
    if (problem === undefined) return [];
    if (to - from === 1) return [{ nth: from, problem }];
    const middle = Math.ceil((from + to) / 2);
    const first = await halve({ from, to: middle, path: `${path}a` });
    return [...first, ...(await halve({ from: middle, to, path: `${path}b` }))];
  }
  return count === 0 ? [] : halve({ from: 0, to: count, path: "" });
}
