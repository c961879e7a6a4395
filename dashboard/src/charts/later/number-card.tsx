import type { ReactNode } from "react";
import { full } from "../../format/numbers.ts";
import type { NumberCardProps } from "../drawings.ts";
import "./series.css";

/** One number, large. */
export function NumberCard({ name, value, format, change }: NumberCardProps & { change?: ReactNode }) {
  const text = value === null ? "–" : typeof value === "number" ? full(value, format) : value;
  return (
    <p className="number-card">
      <strong>{text}</strong>
      <span>
        {name} {change}
      </span>
    </p>
  );
}
