import { useEffect, useRef } from "react";

/** Runs it only while its component is on the page: the answer to a request may come when that was left. */
export function useWhileShown<A extends unknown[]>(run: (...args: A) => void): (...args: A) => void {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return (...args) => {
    if (isShown.current) run(...args);
  };
}
