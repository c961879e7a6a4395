import { useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { adviceFor, failureText, RequestFailed } from "../api/failure.ts";
import type { ViewSearch } from "../state/search.ts";
import { useSetSearch } from "../state/view.ts";
import { Icon, type IconName } from "./icon.tsx";

/** Nothing to show, and what to do about it. */
export function Empty({ title, children, icon = "info" }: { title: string; children?: ReactNode; icon?: IconName }) {
  return (
    <div className="state">
      <Icon name={icon} size={20} />
      <strong>{title}</strong>
      {children ? <p>{children}</p> : null}
    </div>
  );
}

export function Failure({ failure, onRetry }: { failure: unknown; onRetry?: (() => void) | undefined }) {
  return (
    <div className="state" role="alert">
      <Icon name="warning" size={20} />
      <strong>{failureText(failure)}</strong>
      <p>{adviceFor(failure)}</p>
      <RemoveSegment failure={failure} />
      {onRetry ? (
        <button type="button" className="button" onClick={onRetry}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

/** A link may name a segment that somebody has deleted: the page goes on without it. */
function RemoveSegment({ failure }: { failure: unknown }) {
  const { segment, segments } = useSearch({ strict: false }) as ViewSearch & { segments?: unknown };
  const set = useSetSearch();
  const isGone = failure instanceof RequestFailed && failure.status === 404 && failure.param === "query.segment";
  if (!isGone || (segment === undefined && segments === undefined)) return null;
  const name = segment === undefined ? "segments" : "segment";
  return (
    <button type="button" className="button" onClick={() => set({ [name]: undefined })}>
      {segment === undefined ? "Stop comparing segments" : "Remove the segment"}
    </button>
  );
}

/** Grey bars in the place of rows that are on their way. */
export function Skeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars without content have no other identity.
        <span key={index} className={`skeleton-row w${index % 4}`} />
      ))}
    </div>
  );
}
