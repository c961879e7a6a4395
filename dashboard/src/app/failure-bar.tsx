import { useEffect, useRef } from "react";
import { adviceFor, failureText } from "../api/failure.ts";
import { useFailed } from "../api/outage.ts";
import { Icon } from "../ui/icon.tsx";

const AGAIN_MS = 5000;

/** One line for all panels that have no answer; they are asked again until they have one. */
export function FailureBar() {
  const failed = useFailed();
  const retry = useRef(failed?.retry);
  retry.current = failed?.retry;
  const isFailed = failed !== undefined;
  useEffect(() => {
    if (!isFailed) return;
    const timer = setInterval(() => retry.current?.(), AGAIN_MS);
    return () => clearInterval(timer);
  }, [isFailed]);
  if (failed === undefined) return null;
  return (
    <div className="failure-bar" role="alert">
      <Icon name="warning" />
      <span className="grow">
        <strong>{failureText(failed.failure)}</strong> {adviceFor(failed.failure)} Asked again every {AGAIN_MS / 1000}{" "}
        seconds; numbers in grey are from before.
      </span>
      <button type="button" className="button small" onClick={failed.retry}>
        Ask now
      </button>
    </div>
  );
}
