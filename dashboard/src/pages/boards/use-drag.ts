import { type PointerEvent, useEffect, useState } from "react";

interface Dragged {
  id: string;
  /** The chart under the pointer, and whether the dragged one comes after it. */
  over?: { id: string; after: boolean } | undefined;
}

/** Drags a chart by its grip, with mouse, pen or finger. A line shows where it will be; Escape leaves it where it is. */
export function useDrag(onDrop: (id: string, over: { id: string; after: boolean }) => void) {
  const [dragged, setDragged] = useState<Dragged>();
  const isDragging = dragged !== undefined;
  useEffect(() => {
    if (!isDragging) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") setDragged(undefined);
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isDragging]);
  const gripOf = (id: string) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setDragged({ id });
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (dragged?.id !== id) return;
      scrollAtEdge(event.clientY);
      const over = findOver(event, id);
      // A state for each pixel would draw all charts of the board for each.
      if (!isSamePlace(over, dragged.over)) setDragged({ id, over });
    },
    onPointerUp() {
      if (dragged?.over !== undefined) onDrop(id, dragged.over);
      setDragged(undefined);
    },
    onPointerCancel: () => setDragged(undefined),
  });
  return { dragged, gripOf };
}

function isSamePlace(one: Dragged["over"], other: Dragged["over"]): boolean {
  return one?.id === other?.id && one?.after === other?.after;
}

function findOver({ clientX, clientY }: PointerEvent<HTMLElement>, id: string): Dragged["over"] {
  const element = document.elementFromPoint(clientX, clientY)?.closest<HTMLElement>("[data-chart]");
  const over = element?.dataset.chart;
  if (element === null || element === undefined || over === undefined || over === id) return undefined;
  const { left, top, width, height } = element.getBoundingClientRect();
  // A chart as wide as the board has neighbours above and below only.
  const isWide = width > (element.parentElement?.clientWidth ?? 0) * 0.9;
  return { id: over, after: isWide ? clientY > top + height / 2 : clientX > left + width / 2 };
}

const EDGE = 60;
const STEP = 18;

function scrollAtEdge(y: number): void {
  if (y < EDGE) window.scrollBy(0, -STEP);
  else if (y > window.innerHeight - EDGE) window.scrollBy(0, STEP);
}
