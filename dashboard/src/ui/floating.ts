/**
 * A panel in the browser's top layer, at its button. Written by hand on the popover attribute: Radix and Floating UI
 * did the same for 32 of the 170 kB that the first screen may have, and lock the scrolling by a <style> that the page's
 * policy forbids.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

export type Align = "start" | "center" | "end";

const GAP = 6;
const EDGE = 8;

interface Floating {
  triggerRef: RefObject<HTMLButtonElement | null>;
  panelRef: RefObject<HTMLDivElement | null>;
  open: boolean;
  setOpen: (open: boolean) => void;
  /** Closes the panel and gives the focus back. */
  close: () => void;
}

export interface Control {
  open?: boolean | undefined;
  onOpenChange?: ((open: boolean) => void) | undefined;
}

export function useFloating(align: Align, control: Control = {}): Floating {
  const triggerRef = useRef<HTMLButtonElement>(null);
  const panelRef = useRef<HTMLDivElement>(null);
  const [own, setOwn] = useState(false);
  const open = control.open ?? own;
  const setOpen = control.onOpenChange ?? setOwn;
  const setRef = useRef(setOpen);
  setRef.current = setOpen;
  const close = useCallback(() => {
    setRef.current(false);
    triggerRef.current?.focus();
  }, []);

  useLayoutEffect(() => {
    const [trigger, panel] = [triggerRef.current, panelRef.current];
    if (!open || trigger === null || panel === null) return;
    panel.showPopover();
    const settle = () => place(panel, trigger.getBoundingClientRect(), align);
    settle();
    const sizes = new ResizeObserver(settle);
    sizes.observe(panel);
    addEventListener("resize", settle);
    addEventListener("scroll", settle, { capture: true, passive: true });
    return () => {
      sizes.disconnect();
      removeEventListener("resize", settle);
      removeEventListener("scroll", settle, { capture: true });
    };
  }, [open, align]);

  useEffect(() => {
    if (!open) return;
    const isOutside = (event: Event) =>
      event.target instanceof Node &&
      !panelRef.current?.contains(event.target) &&
      !triggerRef.current?.contains(event.target);
    const onOutside = (event: Event) => {
      if (isOutside(event)) setRef.current(false);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      // Otherwise the dialog around it would close as well.
      event.preventDefault();
      close();
    };
    document.addEventListener("pointerdown", onOutside, true);
    document.addEventListener("focusin", onOutside);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("pointerdown", onOutside, true);
      document.removeEventListener("focusin", onOutside);
      document.removeEventListener("keydown", onKey);
    };
  }, [open, close]);

  return { triggerRef, panelRef, open, setOpen, close };
}

/** Below the button, or above it where there is more room; always inside the window. */
function place(panel: HTMLElement, at: DOMRect, align: Align): void {
  const { offsetWidth: width, offsetHeight: height } = panel;
  const starts = { start: at.left, center: at.left + (at.width - width) / 2, end: at.right - width };
  const left = Math.max(EDGE, Math.min(starts[align], innerWidth - width - EDGE));
  const below = at.bottom + GAP;
  const fits = below + height <= innerHeight - EDGE || at.top < innerHeight - at.bottom;
  const top = fits ? below : Math.max(EDGE, at.top - GAP - height);
  panel.style.left = `${left}px`;
  panel.style.top = `${top}px`;
  panel.style.maxHeight = `${Math.max(160, innerHeight - top - EDGE)}px`;
}
