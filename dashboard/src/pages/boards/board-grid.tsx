import type { KeyboardEvent } from "react";
import type { SavedChart } from "../../api/boards.ts";
import { Near } from "../../api/near.tsx";
import { useSession } from "../../api/session.ts";
import { SavedChartPanel } from "../../panels/saved-chart-panel.tsx";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { placeOf, stepOfKey } from "./arrange.ts";
import { ChartMenuEnd, ChartMenuStart, useChartDialog } from "./chart-menu.tsx";
import { type Arrange, useArrange } from "./use-arrange.ts";
import { useDrag } from "./use-drag.ts";
import "../../panels/board-grid.css";

interface BoardGridProps {
  board: string;
  charts: readonly SavedChart[];
  onEdit: (chart: SavedChart) => void;
  onDuplicate: (chart: SavedChart) => void;
  onFull: (chart: SavedChart) => void;
}

/** The charts in their order. They are arranged by menu, by keys and by pointer. */
export function BoardGrid({ board, charts, onEdit, onDuplicate, onFull }: BoardGridProps) {
  const { workspace } = useSession();
  const arrange = useArrange(board, charts);
  const { dialog, ask } = useChartDialog();
  const { dragged, gripOf } = useDrag((id, over) => {
    const [from, target] = [id, over.id].map((one) => charts.findIndex((chart) => chart.id === one)) as [
      number,
      number,
    ];
    const to = target + (over.after ? 1 : 0);
    arrange.moveTo(id, to > from ? to - 1 : to);
  });
  const canEdit = workspace.can.edit;
  return (
    <>
      <FormFailure failure={arrange.failure} />
      <ol className={dragged ? "board-grid dragging" : "board-grid"} aria-label="Charts">
        {charts.map((chart, at) => {
          const { width, height } = placeOf(chart);
          const over = dragged?.over?.id === chart.id ? dragged.over : undefined;
          const classes = [
            `board-item wide-${width} high-${height}`,
            dragged?.id === chart.id ? "dragged" : "",
            over ? (over.after ? "drop-after" : "drop-before") : "",
          ];
          return (
            <li
              key={chart.id}
              className={classes.join(" ").trim()}
              data-chart={chart.id}
              onKeyDownCapture={canEdit ? (event) => onKey(event, chart, arrange) : undefined}
            >
              <Near>
                <SavedChartPanel
                  chart={chart}
                  {...(canEdit ? { head: <ChartHead chart={chart} grip={gripOf(chart.id)} /> } : {})}
                  menuStart={
                    <ChartMenuStart
                      canEdit={canEdit}
                      onAsk={(asked) => {
                        if (asked === "edit") onEdit(chart);
                        else if (asked === "duplicate") onDuplicate(chart);
                        else onFull(chart);
                      }}
                    />
                  }
                  menuEnd={
                    canEdit ? (
                      <ChartMenuEnd
                        chart={chart}
                        at={at}
                        count={charts.length}
                        arrange={arrange}
                        onAsk={(asked) => {
                          if (asked === "move" || asked === "delete") ask({ chart, what: asked });
                        }}
                      />
                    ) : null
                  }
                />
              </Near>
            </li>
          );
        })}
      </ol>
      <p className="hidden" role="status" aria-live="polite">
        {arrange.said}
      </p>
      {dialog}
    </>
  );
}

function onKey(event: KeyboardEvent, chart: SavedChart, arrange: Arrange): void {
  const step = stepOfKey(event);
  if (step === undefined || (event.target as Element).closest("dialog, [role=menu]") !== null) return;
  // Alt with the left arrow is the browser's way back.
  event.preventDefault();
  event.stopPropagation();
  arrange.step(chart, step);
}

type Grip = ReturnType<ReturnType<typeof useDrag>["gripOf"]>;

function ChartHead({ chart, grip }: { chart: SavedChart; grip: Grip }) {
  return (
    <div className="board-head">
      <button
        type="button"
        className="board-grip"
        aria-label={`Move ${chart.title}: drag it, or press Alt with an arrow key`}
        {...grip}
      >
        <Icon name="grip" />
      </button>
      <h2 title={chart.description ?? undefined}>{chart.title}</h2>
    </div>
  );
}
