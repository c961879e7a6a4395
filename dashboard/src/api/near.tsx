import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";

interface NearState {
  isNear: boolean;
  /** The panel whose place decides. */
  watch: ((element: Element | null) => void) | undefined;
}

const Context = createContext<NearState>({ isNear: true, watch: undefined });

/** Half of a screen: an answer takes as long as a person scrolls that far. */
const MARGIN = "400px 0px";

/** The reports of the panel in it are asked when it comes near the screen, and from then on. */
export function Near({ children }: { children: ReactNode }) {
  const [isNear, setNear] = useState(false);
  const [element, watch] = useState<Element | null>(null);
  useEffect(() => {
    if (element === null || isNear) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    // Paper has no edge.
    const onPrint = () => setNear(true);
    window.addEventListener("beforeprint", onPrint);
    return () => {
      observer.disconnect();
      window.removeEventListener("beforeprint", onPrint);
    };
  }, [element, isNear]);
  const state = useMemo(() => ({ isNear, watch }), [isNear]);
  return <Context.Provider value={state}>{children}</Context.Provider>;
}

export function useNear(): NearState {
  return useContext(Context);
}
