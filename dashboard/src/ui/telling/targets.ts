/** The recipients of a draft, each a row of the page. */
export interface Target<T extends string> {
  key: number;
  type: T;
  value: string;
}

let lastKey = 0;

/** Of a row of a draft, for as long as it is edited. */
export function newKey(): number {
  lastKey += 1;
  return lastKey;
}

export function newTarget<T extends string>(type: T, value = ""): Target<T> {
  return { key: newKey(), type, value };
}
