import type { ReactNode, Ref } from "react";

interface ScrollRegionProps {
  /** What a screen reader calls it. */
  label: string;
  className?: string;
  ref?: Ref<HTMLElement>;
  children: ReactNode;
}

/** A region that scrolls must be reachable by keyboard, so it takes the focus. */
export function ScrollRegion({ label, className = "table-scroll", ref, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <section ref={ref} className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Code or JSON whose long lines scroll. */
export function ScrollingCode({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
    <pre className="code" tabIndex={0}>
      {text}
    </pre>
  );
}
