/** An answer as people read it: choices by their labels, a file by its name. */
export function answerText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (Array.isArray(value)) return value.map((one) => answerText(one)).join(", ");
  if (typeof value === "string" || typeof value === "number") return String(value);
  const { label, name, address } = value as Record<string, unknown>;
  return answerText(label ?? name ?? address ?? JSON.stringify(value));
}
