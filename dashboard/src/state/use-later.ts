import { useEffect, useState } from "react";

/** A text after a pause in typing: one question for a word, not for each letter. */
export function useLater(value: string, pauseMs: number): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return later;
}
