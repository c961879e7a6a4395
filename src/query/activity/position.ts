/**
 * The place of an event in the order of events: its time, then its dedupe key, which events of one time differ in. As a
 * text it is the id of an event and the cursor of a page.
 */
export interface Position {
  readonly ms: number;
  readonly key: bigint;
}

const SHAPE = /^(\d{1,15})-(\d{1,20})$/;
const MOST_KEY = 2n ** 64n - 1n;

export function formatPosition({ ms, key }: Position): string {
  return `${ms}-${key}`;
}

export function findPosition(text: string): Position | undefined {
  const [, ms, key] = SHAPE.exec(text) ?? [];
  if (ms === undefined || key === undefined || BigInt(key) > MOST_KEY) return undefined;
  return { ms: Number(ms), key: BigInt(key) };
}
