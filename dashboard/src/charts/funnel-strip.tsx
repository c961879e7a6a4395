import type { ReactNode } from "react";
import { duration, full, rate } from "../format/numbers.ts";
import { type FunnelStep, SHARES, type ShareOf } from "./drawings.ts";

interface ShownStep extends FunnelStep {
  /** In front of the label. */
  icon?: ReactNode;
  /** The change against a comparison. */
  change?: ReactNode;
}

interface FunnelStripProps {
  steps: readonly ShownStep[];
  of?: ShareOf;
}

/** Steps from left to right; the height of each is its share of the first. */
export function FunnelStrip({ steps, of = "before" }: FunnelStripProps) {
  return (
    <ol className="funnel">
      {steps.map((step, index) => {
        const share = of === "first" ? step.fromStart : step.fromPrevious;
        const body = (
          <>
            <span className="funnel-label">
              {step.icon}
              {step.label}
            </span>
            <span className="funnel-counts">
              <span className="funnel-count">{full(step.count, "count")}</span>
              {step.change}
            </span>
            <span className="funnel-track" aria-hidden="true">
              <span
                className="funnel-fill"
                style={{ height: `${Math.max(1.5, (step.fromStart ?? (index === 0 ? 1 : 0)) * 100)}%` }}
              />
            </span>
            <span className="funnel-rates">
              {index === 0 ? (
                <span>everyone in the period</span>
              ) : (
                <>
                  <span className="funnel-share">
                    <strong>{share === null ? "–" : rate(share)}</strong> {SHARES[of]}
                  </span>
                  <span>
                    {step.medianSeconds === null ? "" : `median ${duration(step.medianSeconds)}`}
                    <span className="hidden"> from the step before</span>
                  </span>
                </>
              )}
            </span>
          </>
        );
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place; two may be equal.
          <li key={index}>
            <div className="funnel-step">{body}</div>
          </li>
        );
      })}
    </ol>
  );
}
