import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/** From here on a wait is noticed, and from there on a person wants to end it. */
const NOTICED_MS = 400;
const LONG_MS = 4000;

/** True after `active` has lasted for `ms`. */
function useLasting(active: boolean, ms: number): boolean {
  const [lasting, setLasting] = useState(false);
  useEffect(() => {
    setLasting(false);
    if (!active) return;
    const timer = setTimeout(() => setLasting(true), ms);
    return () => clearTimeout(timer);
  }, [active, ms]);
  return active && lasting;
}

/** A moving line for a slow answer, and after a while the button that cancels it. */
export function SlowLine({ active, queryKeys }: { active: boolean; queryKeys: readonly QueryKey[] }) {
  const client = useQueryClient();
  const noticed = useLasting(active, NOTICED_MS);
  const long = useLasting(active, LONG_MS);
  if (!noticed) return null;
  return (
    <div className="slow">
      <div className="slow-line" role="progressbar" aria-label="Waiting for the answer" />
      {long ? (
        <div className="slow-note">
          <span>A large question. Still counting…</span>
          <button
            type="button"
            className="button small"
            onClick={() => {
              for (const queryKey of queryKeys) void client.cancelQueries({ queryKey });
            }}
          >
            Cancel
          </button>
        </div>
      ) : null}
    </div>
  );
}
