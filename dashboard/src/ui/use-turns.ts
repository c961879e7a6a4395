import { useState } from "react";

/**
 * What is shown one after another, each until it is closed: an answer that comes while another one is shown must not
 * take the place of what nobody sees again.
 */
export function useTurns<T>() {
  const [waiting, setWaiting] = useState<readonly T[]>([]);
  return {
    shown: waiting[0],
    add: (one: T) => setWaiting((now) => [...now, one]),
    close: () => setWaiting((now) => now.slice(1)),
  };
}
