import { useState } from "react";

/**
 * Which dialog is open. `close` closes the one it was drawn with: the answer to its request may come when that one was
 * left, and another one is open, also the same again.
 */
export function useDialog<T extends string | object>() {
  const [open, setOpen] = useState<{ asked: T }>();
  const ask = (asked: T) => setOpen({ asked });
  const close = () => setOpen((now) => (now === open ? undefined : now));
  return { asked: open?.asked, ask, close };
}
