import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useState } from "react";
import { Near, useNear } from "../../api/near.tsx";
import { rangeText } from "../../format/dates.ts";
import type { Range } from "../../format/range.ts";
import { chooseZone, zoneName } from "../../format/zone.ts";
import { ChartAnswer } from "../../panels/chart-answer.tsx";
import { heightOf, widthOf } from "../../panels/chart-place.ts";
import { PERIODS, type PeriodName, rangeOf } from "../../state/period.ts";
import { oneOf, type RawSearch, text } from "../../state/search.ts";
import { useToday } from "../../state/use-today.ts";
import { Field, FormFailure, formTexts } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Logo } from "../../ui/logo.tsx";
import { Empty, Failure, Skeleton } from "../../ui/states.tsx";
import {
  isGone,
  isLocked,
  type SharedBoard,
  type SharedChart,
  type SharedLink,
  useOpenBoard,
  useOpening,
  useSharedBoard,
  useSharedChart,
} from "./use-shared.ts";
import "../../panels/board-grid.css";
import "./shared.css";

const ImportedBadge = lazy(async () => ({ default: (await import("../../ui/imported.tsx")).SharedImportedBadge }));

/** A board by its public link, and with `?embed=1` in a frame of another page: then without its own head. */
export function SharedPage() {
  const { token = "" } = useParams({ strict: false }) as { token?: string };
  const isEmbedded = text((useSearch({ strict: false }) as RawSearch).embed) === "1";
  const [opening, keepOpening] = useOpening(token);
  const link = { token, opening };
  const board = useSharedBoard(link);
  const { refetch: readAgain } = board;
  const refetch = useCallback(() => void readAgain(), [readAgain]);
  const title = board.data?.title ?? "Shared board";
  useEffect(() => {
    document.title = title;
  }, [title]);
  if (isLocked(board.error)) return <PasswordForm link={link} onOpen={keepOpening} />;
  if (isGone(board.error)) return <GonePage />;
  return (
    <main className={`shared${isEmbedded ? " embedded" : ""}`}>
      {board.data === undefined ? (
        <>
          <h1 className="hidden">Shared board</h1>
          {board.error ? <Failure failure={board.error} onRetry={() => void board.refetch()} /> : <Skeleton rows={8} />}
        </>
      ) : (
        <Shown board={board.data} link={link} isEmbedded={isEmbedded} onRefused={refetch} />
      )}
    </main>
  );
}

interface ShownProps {
  board: SharedBoard;
  link: SharedLink;
  isEmbedded: boolean;
  /** A chart was refused: the link has ended, needs its password, or has the chart no more. */
  onRefused: () => void;
}

function Shown({ board, link, isEmbedded, onRefused }: ShownProps) {
  const { title, description, period, charts } = board;
  chooseZone(period.timezone);
  const [chosen, setChosen] = usePeriod();
  const today = useToday();
  const days = period.locked ? undefined : rangeOf({ period: chosen }, today);
  const shown = days ?? { from: period.date_from, to: period.date_to };
  const dates = (
    <span>
      {rangeText(shown, today)} <small>{zoneName()}</small>
    </span>
  );
  return (
    <>
      {isEmbedded ? (
        <>
          <h1 className="hidden">{title}</h1>
          <p className="shared-days">{dates}</p>
        </>
      ) : (
        <header className="shared-head">
          <Logo size={24} />
          <div className="shared-title">
            <h1>{title}</h1>
            {description ? <p>{description}</p> : null}
          </div>
          <div className="shared-days">
            {period.locked ? null : <PeriodSelect chosen={chosen} onChoose={setChosen} />}
            {dates}
          </div>
        </header>
      )}
      {charts.length === 0 ? (
        <Empty
          title={
            board.charts_left_out > 0
              ? "Nothing of this board can be shown by this link"
              : "This board has no charts yet"
          }
          icon="chart"
        />
      ) : null}
      <ol className="board-grid">
        {charts.map((chart) => (
          <li key={chart.id} className={`board-item wide-${widthOf(chart)} high-${heightOf(chart)}`}>
            <Near>
              <SharedPanel chart={chart} link={link} days={days} onRefused={onRefused} />
            </Near>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The period of the URL: a link to the page, and a frame of it, can have one. */
function usePeriod(): [PeriodName, (name: PeriodName) => void] {
  const search = useSearch({ strict: false }) as RawSearch;
  const navigate = useNavigate();
  const chosen = oneOf(CHOICES, search.period) ?? USUAL;
  const choose = (name: PeriodName) =>
    void navigate({
      to: ".",
      search: ((before: RawSearch) => ({ ...before, period: name === USUAL ? undefined : name })) as never,
      replace: true,
      resetScroll: false,
    });
  return [chosen, choose];
}

const USUAL: PeriodName = "28d";

/** Without "all time": people with a link do not know the first day. */
const CHOICES: readonly PeriodName[] = [
  "today",
  "yesterday",
  "7d",
  "28d",
  "30d",
  "90d",
  "mtd",
  "last-month",
  "ytd",
  "12m",
];

function PeriodSelect({ chosen, onChoose }: { chosen: PeriodName; onChoose: (name: PeriodName) => void }) {
  return (
    <label className="shared-period">
      <span className="hidden">Period</span>
      <Icon name="calendar" />
      <select
        value={chosen}
        onChange={({ target }) => onChoose(CHOICES.find((name) => name === target.value) ?? chosen)}
      >
        {CHOICES.map((name) => (
          <option key={name} value={name}>
            {PERIODS[name].label}
          </option>
        ))}
      </select>
    </label>
  );
}

interface SharedPanelProps {
  chart: SharedChart;
  link: SharedLink;
  days: Range | undefined;
  onRefused: () => void;
}

function SharedPanel({ chart, link, days, onRefused }: SharedPanelProps) {
  const { watch } = useNear();
  const [asTable, setAsTable] = useState(false);
  const today = useToday();
  const answer = useSharedChart(link, chart.id, days);
  const { error, data } = answer;
  const isRefused = isLocked(error) || isGone(error);
  useEffect(() => {
    if (isRefused) onRefused();
  }, [isRefused, onRefused]);
  const isOld = answer.isPlaceholderData || (error !== null && data !== undefined);
  return (
    <section ref={watch} className="panel board-chart" aria-label={chart.title}>
      <header className="panel-head">
        <h2 title={chart.description ?? undefined}>{chart.title}</h2>
        {data?.imported ? (
          <Suspense fallback={null}>
            <ImportedBadge note={data.imported} today={today} />
          </Suspense>
        ) : null}
        {chart.chart_type === "table" ? null : (
          <div className="panel-actions">
            <button
              type="button"
              className="button ghost square"
              aria-pressed={asTable}
              aria-label={`${chart.title} as a table`}
              onClick={() => setAsTable(!asTable)}
            >
              <Icon name={asTable ? "chart" : "table"} />
            </button>
          </div>
        )}
      </header>
      {error !== null && data !== undefined ? (
        <p className="shared-old" role="status">
          Numbers from before: there is no newer answer now.
        </p>
      ) : null}
      <div className={isOld ? "panel-body stale" : "panel-body"} aria-busy={answer.isFetching}>
        {error !== null && data === undefined ? (
          <Empty title="This chart cannot be shown now" icon="warning" />
        ) : (
          <ChartAnswer chart={chart} answer={data} asTable={asTable} />
        )}
      </div>
    </section>
  );
}

function PasswordForm({ link, onOpen }: { link: SharedLink; onOpen: (opening: string) => void }) {
  const open = useOpenBoard(link.token, onOpen, link.opening);
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <Logo size={36} />
        <h1>This board has a password</h1>
        <p className="lead">Whoever sent you the link knows it.</p>
        <form className="stack" onSubmit={(event) => open.mutate(formTexts(event).password ?? "")}>
          <Field label="Password" name="password" type="password" autoComplete="off" />
          <FormFailure failure={open.error} />
          <button type="submit" className="button primary large" disabled={open.isPending}>
            {open.isPending ? "Opening…" : "Open the board"}
          </button>
        </form>
      </div>
    </main>
  );
}

function GonePage() {
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <Logo size={36} />
        <h1>This link does not work</h1>
        <p className="lead">
          It has expired or was revoked, or its address is not complete. Ask whoever sent it to you for a new one.
        </p>
      </div>
    </main>
  );
}
