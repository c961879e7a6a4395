import type { Draft } from "../draft.ts";

const LARGEST = 1e9;
const LONGEST_NUMBER = 64;

/** Amounts that reports add up. One absurd value would dominate every sum that includes it, so it counts as 0. */
export function putMoney({ properties, row }: Draft): undefined {
  row.volume = amountOf(properties.volume);
  row.revenue = amountOf(properties.revenue);
  row.points = amountOf(properties.points);
}

export function amountOf(value: unknown): number {
  const amount = typeof value === "string" ? decimalOf(value) : value;
  if (typeof amount !== "number" || !Number.isFinite(amount) || Math.abs(amount) > LARGEST) return 0;
  // Adding zero turns -0 into 0.
  return amount + 0;
}

/** `Number` also reads hexadecimal, and the empty string as 0; neither is an amount. */
function decimalOf(text: string): number {
  const bare = text.length > LONGEST_NUMBER ? "" : text.trim();
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(bare) ? Number(bare) : Number.NaN;
}
