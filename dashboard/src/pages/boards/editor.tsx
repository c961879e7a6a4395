import { useEffect, useRef, useState } from "react";
import { CHART_TYPES, type ChartType } from "../../../../src/contract/chart-types.ts";
import {
  type Board,
  boardPath,
  type ChartFields,
  chartPath,
  type SavedChart,
  useBoardWrite,
} from "../../api/boards.ts";
import { ChartPanel } from "../../panels/chart-panel.tsx";
import { heightOf, widthOf } from "../../panels/chart-place.ts";
import type { AskedChart } from "../../panels/use-chart.ts";
import { useSetSearch, useView } from "../../state/view.ts";
import { FormFailure } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { SegmentChoices } from "../../ui/segment-choices.tsx";
import {
  canCompare,
  FIRST_DRAFT,
  fieldsOf,
  isColumnChart,
  previewOf,
  shownFields,
  TYPE_NAMES,
  withAxes,
  withChanges,
  withType,
} from "./drafts.ts";
import { Axes } from "./editor-axes.tsx";
import { type KeptProps, Question } from "./editor-question.tsx";
import { FunnelFields, PathFields, RetentionFields } from "./editor-steps.tsx";
import { FieldFailure } from "./field-failure.tsx";
import { isElsewhere } from "./field-failures.ts";
import { usePreview } from "./use-preview.ts";
import "../../panels/board-grid.css";
import "./editor.css";

/** Makes or changes a chart, with what it shows beside it. */
export function ChartEditor({ board, chart }: { board: Board; chart?: SavedChart }) {
  const set = useSetSearch();
  const [draft, setDraft] = useState<ChartFields>(chart ? fieldsOf(chart) : FIRST_DRAFT);
  const [left, setLeft] = useState<readonly ChartFields[]>([]);
  const [kept, setKept] = useState<Partial<ChartFields>>({});
  const preview = usePreview(board.id, draft);
  const close = () => set({ edit: undefined });
  const save = useBoardWrite<unknown, ChartFields>((body) =>
    chart
      ? { method: "PUT", path: chartPath(board.id, chart.id), body }
      : { method: "POST", path: `${boardPath(board.id)}/charts`, body },
  );
  const { isWaiting, submit, cancel } = useSettled(preview.isSettled, () =>
    // The board is shown when its charts were read again: the new title never stands above the old question.
    save.mutate(withAxes(draft, preview.own), { onSuccess: close }),
  );
  const put = (next: ChartFields) => {
    save.reset();
    cancel();
    setDraft(next);
  };
  const change = (changes: Partial<ChartFields>) => put(withChanges(draft, changes));
  const chooseType = (type: ChartType) => {
    setLeft([...left, draft]);
    put(withType(draft, type, [...left, draft]));
  };
  const failure = save.error ?? (preview.query.isFetching ? null : preview.query.error);
  return (
    <div className="chart-editor">
      <header className="page-head">
        <div className="board-title">
          <button type="button" className="button ghost square" aria-label={`Back to ${board.title}`} onClick={close}>
            <Icon name="back" />
          </button>
          <div>
            <h1>{chart ? "Edit the chart" : "New chart"}</h1>
            <p>On the board {board.title}</p>
          </div>
        </div>
      </header>
      <div className="editor-grid">
        <form
          className="panel editor-form"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <label>
            Title
            <input
              type="text"
              value={draft.title}
              maxLength={200}
              required
              placeholder="What it shows"
              onChange={({ target }) => change({ title: target.value })}
            />
          </label>
          <FieldFailure failure={failure} field="title" />
          <TypeField type={draft.chart_type} onChange={chooseType} />
          {draft.settings?.drawn ? (
            <p className="note">It is drawn as on the page that it came from. Another type draws it by its columns.</p>
          ) : null}
          <TypeFields draft={draft} failure={failure} kept={kept} onKeep={setKept} onChange={change} />
          <Axes draft={draft} rows={preview.rows} failure={failure} onChange={change} />
          <Compared draft={draft} failure={failure} onChange={change} />
          <OwnFilters draft={draft} onChange={change} />
          <Size draft={draft} onChange={(settings) => setDraft({ ...draft, settings })} />
          {isElsewhere(failure, shownFields(draft)) ? <FormFailure failure={failure} /> : null}
          <div className="editor-actions">
            <button type="submit" className="button primary" disabled={save.isPending || isWaiting}>
              {chart ? "Save" : "Add to the board"}
            </button>
            <button type="button" className="button" onClick={close}>
              Cancel
            </button>
          </div>
        </form>
        <Preview draft={draft} preview={preview} />
      </div>
    </div>
  );
}

/** Saves when the preview has answered: the axes of the chart are columns of its rows. */
function useSettled(isSettled: boolean, onSettled: () => void) {
  const [isWaiting, setWaiting] = useState(false);
  const act = useRef(onSettled);
  act.current = onSettled;
  useEffect(() => {
    if (!isWaiting || !isSettled) return;
    setWaiting(false);
    act.current();
  }, [isWaiting, isSettled]);
  return { isWaiting, submit: () => setWaiting(true), cancel: () => setWaiting(false) };
}

function TypeField({ type, onChange }: { type: ChartType; onChange: (type: ChartType) => void }) {
  return (
    <fieldset className="editor-types">
      <legend>Type</legend>
      {CHART_TYPES.map((name) => (
        <label key={name}>
          <input type="radio" name="chart_type" value={name} checked={name === type} onChange={() => onChange(name)} />
          <span>{TYPE_NAMES[name]}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface PartProps {
  draft: ChartFields;
  failure: unknown;
  onChange: (changes: Partial<ChartFields>) => void;
}

function TypeFields({ kept, onKeep, ...props }: PartProps & KeptProps) {
  const { chart_type } = props.draft;
  if (isColumnChart(chart_type)) return <Question {...props} kept={kept} onKeep={onKeep} />;
  if (chart_type === "funnel") return <FunnelFields {...props} />;
  return chart_type === "user_paths" ? <PathFields {...props} /> : <RetentionFields {...props} />;
}

/** Reports and funnels for some segments, beside each other. */
function Compared({ draft, failure, onChange }: PartProps) {
  const chosen = draft.settings?.segments ?? [];
  if (!canCompare(draft)) return null;
  return (
    <details className="editor-part" open={chosen.length > 0}>
      <summary>Compare segments</summary>
      <SegmentChoices
        chosen={chosen}
        onChange={(segments) =>
          onChange({ settings: { ...draft.settings, segments, ...(segments.length > 0 ? { breakdown: null } : {}) } })
        }
      />
      <FieldFailure failure={failure} field="settings.segments" />
    </details>
  );
}

/** The conditions that the chart has beside those of the board. */
function OwnFilters({ draft, onChange }: Omit<PartProps, "failure">) {
  const { query } = useView();
  const isReport = isColumnChart(draft.chart_type);
  if (isReport && !draft.report) return null;
  const saved = isReport ? draft.params?.filters : draft.settings?.filters;
  const put = (filters: unknown) => {
    const { filters: _, ...others } = (isReport ? draft.params : draft.settings) ?? {};
    const next = filters === undefined ? others : { ...others, filters };
    onChange(
      isReport ? { params: next } : { settings: { ...next, ...(filters === undefined ? { filters: null } : {}) } },
    );
  };
  const count = Array.isArray(saved) ? saved.length : saved ? 1 : 0;
  if (count === 0 && query.filters === undefined) return null;
  return (
    <div className="editor-part editor-line">
      <span>
        {count === 0
          ? "No filters of its own."
          : `${count === 1 ? "1 filter" : `${count} filters`} of its own, beside those of the board.`}
      </span>
      {count > 0 ? (
        <button type="button" className="button small" onClick={() => put(undefined)}>
          Remove
        </button>
      ) : (
        <button type="button" className="button small" onClick={() => put(JSON.parse(String(query.filters)))}>
          Keep those of this page
        </button>
      )}
    </div>
  );
}

interface SizeProps {
  draft: ChartFields;
  onChange: (settings: NonNullable<ChartFields["settings"]>) => void;
}

function Size({ draft, onChange }: SizeProps) {
  const layout = { width: widthOf(draft), height: heightOf(draft) };
  const put = (changes: Partial<typeof layout>) => onChange({ ...draft.settings, layout: { ...layout, ...changes } });
  return (
    <div className="editor-params">
      <label>
        Width
        <select value={layout.width} onChange={({ target }) => put({ width: Number(target.value) })}>
          {["a quarter", "a half", "three quarters", "the whole board"].map((name, index) => (
            <option key={name} value={index + 1}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Height
        <select value={layout.height} onChange={({ target }) => put({ height: Number(target.value) })}>
          {["low", "medium", "high"].map((name, index) => (
            <option key={name} value={index + 1}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

const PREVIEW_HEIGHT = 320;

function Preview({ draft, preview }: { draft: ChartFields; preview: ReturnType<typeof usePreview> }) {
  const { query, request, asked } = preview;
  const { why, spec, params, rows } = previewOf(draft, preview.rows, PREVIEW_HEIGHT);
  const title = draft.title.trim() === "" ? "Preview" : draft.title;
  const chart = {
    spec: { ...spec, title },
    request,
    query,
    rows,
    asked: { ...params, date_from: asked.date_from, date_to: asked.date_to },
    // The kind that draws them reads its own columns of them.
  } as unknown as AskedChart<"table">;
  return (
    <div className="editor-preview">
      <ChartPanel<"table">
        chart={chart}
        isOfBoard
        className={`board-chart drawn-${spec.type}`}
        lead={why === undefined ? null : <p className="note">{why}</p>}
      />
    </div>
  );
}
