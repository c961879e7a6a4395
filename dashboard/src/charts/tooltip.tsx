import type { ReactNode } from "react";

/** Beside the point, and on its other side where there is no room. */
export function ChartTooltip({ left, width, children }: { left: number; width: number; children: ReactNode }) {
  const side = left > width / 2 ? { right: width - left + 12 } : { left: left + 12 };
  return (
    <div className="chart-tip" style={side} aria-live="polite">
      {children}
    </div>
  );
}
