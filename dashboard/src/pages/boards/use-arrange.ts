import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { boardPath, chartPath, chartsKey, type SavedChart } from "../../api/boards.ts";
import { type ApiRequest, call } from "../../api/client.ts";
import { movedText, movedTo, placeOf, resized, type Step, sizedText } from "./arrange.ts";

/**
 * Moves and resizes charts: the page shows it at once and says it in a live region, the service is told afterwards, one
 * change after the other. What it refuses is taken back.
 */
export function useArrange(board: string, charts: readonly SavedChart[]) {
  const client = useQueryClient();
  const key = chartsKey(board);
  const [said, setSaid] = useState("");
  const focused = useRef<HTMLElement>(undefined);
  const show = (next: readonly SavedChart[]) => client.setQueryData(key, next);
  // The page may not be drawn yet when the next key comes.
  const current = () => client.getQueryData<readonly SavedChart[]>(key) ?? charts;
  const save = useMutation({
    scope: { id: `arrange ${board}` },
    mutationFn: (change: ApiRequest) => call(change),
    onError: (failure) => setSaid(failure instanceof Error ? failure.message : "It could not be saved."),
    onSettled: async () => {
      // While further changes wait, the list of the service is older than the page.
      if (client.isMutating() <= 1) await client.invalidateQueries({ queryKey: key });
    },
  });
  // An element that is moved in the page loses the focus.
  useLayoutEffect(() => {
    const element = focused.current;
    focused.current = undefined;
    if (element === undefined || charts.length === 0) return;
    if (document.activeElement !== element) element.focus();
    element.scrollIntoView({ block: "nearest" });
  }, [charts]);
  const keepFocus = () => {
    if (document.activeElement instanceof HTMLElement) focused.current = document.activeElement;
  };
  const moveTo = (id: string, to: number) => {
    void client.cancelQueries({ queryKey: key });
    const before = current();
    const next = movedTo(before, id, to);
    if (next === before) return;
    keepFocus();
    show(next);
    setSaid(movedText(next, id));
    save.mutate({
      method: "PUT",
      path: `${boardPath(board)}/charts/reorder`,
      body: { chartIds: next.map((chart) => chart.id) },
    });
  };
  const resize = (shown: SavedChart, side: "width" | "height", by: 1 | -1) => {
    void client.cancelQueries({ queryKey: key });
    const chart = current().find(({ id }) => id === shown.id) ?? shown;
    const layout = resized(placeOf(chart), side, by);
    if (layout === undefined) {
      setSaid(`${sizedText(chart.title, placeOf(chart), side)} already`);
      return;
    }
    keepFocus();
    const changed = { ...chart, settings: { ...chart.settings, layout } };
    show(current().map((one) => (one.id === chart.id ? changed : one)));
    setSaid(sizedText(chart.title, layout, side));
    // Its place alone: somebody else may have changed its question since the list was read.
    save.mutate({ method: "PATCH", path: chartPath(board, chart.id), body: { settings: { layout } } });
  };
  return {
    said,
    failure: save.error,
    moveTo,
    resize,
    step(chart: SavedChart, step: Step) {
      const at = current().findIndex(({ id }) => id === chart.id);
      if (step.kind === "move") moveTo(chart.id, at + step.by);
      else resize(chart, step.side, step.by);
    },
  };
}

export type Arrange = ReturnType<typeof useArrange>;
