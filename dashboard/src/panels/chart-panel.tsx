import { lazy, type ReactNode, Suspense, useState } from "react";
import { useSession } from "../api/session.ts";
import type { ChartContext } from "../charts/kinds/kind.ts";
import {
  type ChartSpec,
  type ChartType,
  chartOf,
  type DrawingOf,
  type DrawnSpec,
  type RowOf,
} from "../charts/registry.ts";
import type { TableData } from "../format/table.ts";
import { wallNow } from "../format/zone.ts";
import { useView } from "../state/view.ts";
import { MenuItem } from "../ui/menu.tsx";
import { Panel } from "../ui/panel.tsx";
import { ChartDrawing, ChartSkeleton } from "./chart-drawing.tsx";
import type { AskedChart } from "./use-chart.ts";

const AddToBoard = lazy(async () => ({ default: (await import("./add-to-board.tsx")).AddToBoard }));

/** Charts of the last minutes, of two periods, or of several questions are no charts of a board. */
const NOT_OF_BOARDS: readonly ChartType[] = ["minutes", "outcomes", "movers", "conversions"];
const canAdd = (type: ChartType) => !NOT_OF_BOARDS.includes(type);

export interface ChartFrame<Type extends ChartType> {
  /** In the place of the title; of the rows, where it says what they say. */
  head?: ReactNode | ((rows: readonly RowOf<Type>[], isOld: boolean) => ReactNode);
  actions?: ReactNode;
  className?: string;
  empty?: ReactNode | ((rows: readonly RowOf<Type>[]) => ReactNode);
  /** Before and after the drawing; neither is part of the table. */
  lead?: ReactNode;
  children?: ReactNode;
  /** Where the CSV has more than the table. */
  onDownload?: (() => void) | undefined;
  /** Further commands of the menu, before and after its own. */
  menuStart?: ReactNode;
  menuEnd?: ReactNode;
  /** It is on a board already. */
  isOfBoard?: boolean;
  /** What a page adds to the drawing and to the table: what happens on a click, comparisons, notes. */
  withDrawing?: (drawing: DrawingOf<Type>) => DrawingOf<Type>;
  withTable?: (table: TableData) => TableData;
}

/** A chart with its rows in; waiting, failure, nothing to show, table, CSV and drawing out. */
export function ChartPanel<Type extends ChartType>({
  chart,
  ...frame
}: ChartFrame<Type> & { chart: AskedChart<Type> }) {
  const { head, actions, className, empty, lead, children, onDownload, withDrawing, withTable } = frame;
  const { menuStart, menuEnd, isOfBoard = false } = frame;
  const { spec, request, query, rows, asked } = chart;
  const [isAdding, setAdding] = useState(false);
  const { workspace } = useSession();
  const isAddable = !isOfBoard && workspace.can.edit && canAdd(spec.type);
  const { today, firstDay } = useView();
  const kind = chartOf<Type>(spec.type as Type);
  const context: ChartContext<ChartSpec<Type>["look"]> = {
    look: spec.look,
    asked,
    today,
    nowMs: wallNow(),
    firstDay,
  };
  const table = () => {
    const plain = kind.table(rows, context);
    return withTable?.(plain) ?? plain;
  };
  const title = spec.note === undefined ? undefined : <TitleWithNote title={spec.title} note={spec.note} />;
  // The dialog is not part of the body, which a table takes the place of.
  return (
    <>
      <Panel
        title={spec.title}
        head={typeof head === "function" ? head(rows, query.isPlaceholderData) : (head ?? title)}
        actions={actions}
        {...(className === undefined ? {} : { className })}
        request={request}
        query={query}
        asked={asked}
        {...(spec.counted === undefined ? {} : { counted: spec.counted })}
        isEmpty={() => kind.isEmpty(rows, context)}
        empty={typeof empty === "function" ? empty(rows) : empty}
        skeleton={<ChartSkeleton type={spec.type} />}
        table={query.data === undefined ? undefined : table}
        version={JSON.stringify(spec)}
        onDownload={onDownload}
        menuStart={menuStart}
        menuEnd={
          isAddable ? (
            <MenuItem icon="boards" onSelect={() => setAdding(true)}>
              Add to board
            </MenuItem>
          ) : (
            menuEnd
          )
        }
      >
        {lead}
        <ChartDrawing<Type>
          spec={spec}
          rows={rows}
          context={context as never}
          isOfBoard={isOfBoard}
          withDrawing={withDrawing}
        />
        {children}
      </Panel>
      {isAdding ? (
        <Suspense fallback={null}>
          <AddToBoard spec={spec as DrawnSpec} request={request} onClose={() => setAdding(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

function TitleWithNote({ title, note }: { title: string; note: string }) {
  return (
    <h2>
      {title} <span className="light">{note}</span>
    </h2>
  );
}
