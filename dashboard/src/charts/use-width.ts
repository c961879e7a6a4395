import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** The width of an element in pixels, followed while it changes; 0 before it is laid out. */
export function useWidth<E extends Element>(): [RefObject<E | null>, number] {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setWidth(Math.round(element.getBoundingClientRect().width));
    // A page is printed right after the event: no observer is called in between (state/printing.ts sets its width).
    const measureNow = () => flushSync(measure);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    window.addEventListener("beforeprint", measureNow);
    return () => {
      observer.disconnect();
      window.removeEventListener("beforeprint", measureNow);
    };
  }, []);
  return [ref, width];
}
