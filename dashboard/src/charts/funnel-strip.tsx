import { duration, full, rate } from "../format/numbers.ts";
import { Change } from "../ui/change.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";

export interface FunnelStep {
  label: string;
  icon?: IconName;
  count: number;
  /** Of the step before; null for the first. */
  fromPrevious: number | null;
  fromStart: number | null;
  medianSeconds: number | null;
  /** The numbers of a comparison, if there are any. */
  change?: { now: number; before: number } | undefined;
}

/** What a share of a funnel is of, and its words. */
export const SHARES = { first: "of the first step", before: "of the step before" } as const;
export type ShareOf = keyof typeof SHARES;

interface FunnelStripProps {
  steps: readonly FunnelStep[];
  of?: ShareOf;
  onStep?: (index: number) => void;
}

/** Steps from left to right; the height of each is its share of the first. */
export function FunnelStrip({ steps, of = "before", onStep }: FunnelStripProps) {
  return (
    <ol className="funnel">
      {steps.map((step, index) => {
        const share = of === "first" ? step.fromStart : step.fromPrevious;
        const body = (
          <>
            <span className="funnel-label">
              {step.icon ? <Icon name={step.icon} /> : null}
              {step.label}
            </span>
            <span className="funnel-counts">
              <span className="funnel-count">{full(step.count, "count")}</span>
              {step.change ? <Change {...step.change} format="count" /> : null}
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
            {onStep && index > 0 ? (
              <button type="button" className="funnel-step" onClick={() => onStep(index)}>
                {body}
              </button>
            ) : (
              <div className="funnel-step">{body}</div>
            )}
          </li>
        );
      })}
    </ol>
  );
}
