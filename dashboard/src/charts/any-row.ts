/** A row of any report or SQL answer. */
export type AnyRow = Readonly<Record<string, unknown>>;

/** A cell as text; nothing is an empty one. */
export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "string" ? cell : JSON.stringify(cell);
}
