import { type ComponentType, Suspense } from "react";
import type { ChartContext } from "../charts/kinds/kind.ts";
import { type ChartType, chartOf, type DrawingOf, type DrawnSpec, type RowOf } from "../charts/registry.ts";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { Skeleton } from "../ui/states.tsx";
import { numberLabel } from "./number-label.ts";

/** On a board a chart has a height: lists that are longer scroll. */
const CAN_BE_LONG: readonly ChartType[] = ["ranked", "bar", "pie", "funnel", "funnel_groups", "hours", "map"];

interface ChartDrawingProps<Type extends ChartType> {
  spec: DrawnSpec<Type>;
  rows: readonly RowOf<Type>[];
  context: ChartContext<DrawnSpec<Type>["look"]>;
  isOfBoard?: boolean;
  /** What a page adds. */
  withDrawing?: ((drawing: DrawingOf<Type>) => DrawingOf<Type>) | undefined;
}

/** Rows as a drawing, in a region that scrolls where it may be larger than its place. */
export function ChartDrawing<Type extends ChartType>(props: ChartDrawingProps<Type>) {
  const { spec, rows, context, isOfBoard = false, withDrawing } = props;
  const kind = chartOf<Type>(spec.type as Type);
  const { height } = spec.look as { height?: number };
  const plain = kind.drawing(rows, context as never);
  // Charts of points have a height of their own on a page.
  const sized = height !== undefined && "points" in (plain as object) ? { ...plain, height } : plain;
  const whole = withDrawing?.(sized) ?? sized;
  const label = isOfBoard && spec.type === "number" ? numberName(whole, spec.title) : {};
  const Chart = kind.Chart as ComponentType<object>;
  const drawing = <Chart {...(whole as object)} {...label} />;
  const scrolls = kind.scrolls ?? (isOfBoard && CAN_BE_LONG.includes(spec.type) ? `${spec.title}, chart` : undefined);
  return (
    <Suspense fallback={<ChartSkeleton type={spec.type} />}>
      {scrolls === undefined ? (
        drawing
      ) : (
        <ScrollRegion label={scrolls} className="table-scroll keys">
          {drawing}
        </ScrollRegion>
      )}
    </Suspense>
  );
}

function numberName(drawing: unknown, title: string): { name: string } {
  return { name: numberLabel((drawing as { name: unknown }).name, title) };
}

/** What stands in the place of a chart before its first answer. */
export function ChartSkeleton({ type }: { type: ChartType }) {
  const { skeleton } = chartOf<ChartType>(type);
  return typeof skeleton === "number" ? <Skeleton rows={skeleton} /> : <div className={skeleton} />;
}
