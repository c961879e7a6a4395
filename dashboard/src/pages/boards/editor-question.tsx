import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReportName } from "../../../../src/contract/reports.ts";
import type { ChartFields } from "../../api/boards.ts";
import { call } from "../../api/client.ts";
import { cellText } from "../../charts/any-row.ts";
import { fieldLabel } from "../../state/filters.ts";
import { Segmented } from "../../ui/segmented.tsx";
import { Editor } from "../../ui/sql-editor/editor.tsx";
import type { SqlSchema } from "../../ui/sql-editor/schema.ts";
import { FIRST_DRAFT, FIRST_SQL } from "./drafts.ts";
import { FieldFailure } from "./field-failure.tsx";
import { type ParamChoice, REPORT_CHOICE_NAMES, REPORT_CHOICES, usualParams } from "./report-choices.ts";

interface QuestionProps {
  draft: ChartFields;
  failure: unknown;
  onChange: (changes: Partial<ChartFields>) => void;
}

export interface KeptProps {
  /** What was typed before somebody looked at the other source, or at another type of chart. */
  kept: Partial<ChartFields>;
  onKeep: (kept: Partial<ChartFields>) => void;
}

const SOURCES = [
  { value: "report", label: "A report" },
  { value: "sql", label: "SQL" },
] as const;

/** Another question has other columns. */
const NO_AXES = { x_axis: null, y_axis: null, group_by: null };

/** What a chart of rows asks: a report with its parameters, or SQL. */
export function Question({ draft, failure, kept, onKeep, onChange }: QuestionProps & KeptProps) {
  const isSql = !draft.report;
  const choose = (source: "report" | "sql") => {
    if ((source === "sql") === isSql) return;
    onKeep({ query: draft.query ?? null, report: draft.report ?? null, params: draft.params ?? null });
    onChange(
      source === "sql"
        ? { ...NO_AXES, report: null, params: null, query: kept.query ?? FIRST_SQL }
        : {
            ...NO_AXES,
            query: null,
            report: kept.report ?? FIRST_DRAFT.report ?? null,
            params: kept.params ?? FIRST_DRAFT.params ?? null,
          },
    );
  };
  return (
    <div className="editor-part">
      <div className="editor-line">
        <h2>Question</h2>
        <Segmented label="Question" options={SOURCES} value={isSql ? "sql" : "report"} onChange={choose} />
      </div>
      {isSql ? (
        <Sql draft={draft} failure={failure} onChange={onChange} />
      ) : (
        <Report draft={draft} failure={failure} onChange={onChange} />
      )}
    </div>
  );
}

function Sql({ draft, failure, onChange }: QuestionProps) {
  const [given] = useState({ text: draft.query ?? FIRST_SQL });
  const schema = useQuery({
    queryKey: ["sql-schema"],
    queryFn: ({ signal }) => call<SqlSchema>({ path: "/v0/query/schema", signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <>
      <div className="editor-sql">
        <Editor given={given} schema={schema.data} onChange={(query) => onChange({ query })} onRun={() => undefined} />
      </div>
      <p className="note">
        <code>{"{{date_from}}"}</code> and <code>{"{{date_to}}"}</code> are the first and the last day of the board.
      </p>
      <FieldFailure failure={failure} field="query" />
    </>
  );
}

function Report({ draft, failure, onChange }: QuestionProps) {
  const report = draft.report ?? "";
  const names: readonly string[] = REPORT_CHOICE_NAMES.includes(report as ReportName)
    ? REPORT_CHOICE_NAMES
    : [...REPORT_CHOICE_NAMES, report];
  const params = draft.params ?? {};
  const { params: choices } = REPORT_CHOICES[report as ReportName] ?? { params: [] };
  const put = (name: string, value: string | number | undefined) => {
    const { [name]: _, ...others } = params;
    onChange({
      ...(name === "limit" ? {} : NO_AXES),
      params: value === undefined ? others : { ...others, [name]: value },
    });
  };
  return (
    <>
      <label>
        Report
        <select
          value={report}
          onChange={({ target }) =>
            onChange({
              ...NO_AXES,
              report: target.value,
              params: { ...usualParams(target.value), ...filtersOf(params) },
            })
          }
        >
          {names.map((name) => (
            <option key={name} value={name}>
              {REPORT_CHOICES[name as ReportName]?.label ?? name}
            </option>
          ))}
        </select>
      </label>
      <FieldFailure failure={failure} field="report" />
      <div className="editor-params">
        {choices.map((choice) => (
          <div key={choice.name}>
            <Param choice={choice} value={params[choice.name]} onChange={(value) => put(choice.name, value)} />
            <FieldFailure failure={failure} field={`params.${choice.name}`} />
          </div>
        ))}
      </div>
      <FieldFailure failure={failure} field="params" except={choices.map(({ name }) => name)} />
    </>
  );
}

function filtersOf({ filters, segment }: Readonly<Record<string, unknown>>) {
  return { ...(filters === undefined ? {} : { filters }), ...(segment === undefined ? {} : { segment }) };
}

const WORDS: Readonly<Record<string, string>> = {
  all: "the whole period",
  hour: "hour",
  day: "day",
  week: "week",
  month: "month",
};

interface ParamProps {
  choice: ParamChoice;
  value: unknown;
  onChange: (value: string | number | undefined) => void;
}

function Param({ choice: { name, label, values, none }, value, onChange }: ParamProps) {
  if (values === undefined) {
    return (
      <label>
        {label}
        <input
          type="number"
          min={1}
          max={1000}
          value={typeof value === "number" ? value : ""}
          onChange={({ target }) => onChange(target.value === "" ? undefined : Number(target.value))}
        />
      </label>
    );
  }
  const text = (one: string) => (name === "interval" ? (WORDS[one] ?? one) : name === "mode" ? one : fieldLabel(one));
  return (
    <label>
      {label}
      <select value={cellText(value)} onChange={({ target }) => onChange(target.value || undefined)}>
        {none === undefined ? null : <option value="">{none}</option>}
        {none === undefined && value === undefined ? <option value="">as the report does</option> : null}
        {values.map((one) => (
          <option key={one} value={one}>
            {text(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
