import { useState } from "react";
import { rangeText } from "../format/dates.ts";
import { isDay } from "../format/days.ts";
import { zoneName } from "../format/zone.ts";
import { COMPARISONS, type Comparison, moveRange, PERIOD_NAMES, PERIODS, type PeriodName } from "../state/period.ts";
import { useSetSearch, useView, type View } from "../state/view.ts";
import { Icon } from "../ui/icon.tsx";
import { Popover } from "../ui/popover.tsx";

/** Behind these a group of the list ends. */
const GROUP_ENDS: readonly PeriodName[] = ["2d", "90d", "last-month", "12m"];

export function PeriodMenu() {
  const view = useView();
  const set = useSetSearch();
  const [open, setOpen] = useState(false);
  const move = useMovePeriod();
  const choose = (patch: Parameters<typeof set>[0]) => {
    set({ from: undefined, to: undefined, interval: undefined, ...patch });
    setOpen(false);
  };
  const later = moveRange(view.range, 1, view.today) !== undefined;
  return (
    <div className="split">
      <button type="button" className="button square" aria-label="Earlier period" onClick={() => move(-1)}>
        <Icon name="left" />
      </button>
      <Popover
        label="Period"
        open={open}
        onOpenChange={setOpen}
        trigger={
          <button type="button" className="button period-button">
            <Icon name="calendar" />
            <span>{periodText(view)}</span>
            <small>{zoneName()}</small>
          </button>
        }
      >
        <ul className="choices">
          {PERIOD_NAMES.filter((name) => name !== "custom").map((name) => (
            <li key={name} className={GROUP_ENDS.includes(name) ? "group-end" : undefined}>
              <button
                type="button"
                aria-pressed={view.period === name && !view.moved}
                onClick={() => choose({ period: name })}
              >
                <span className="grow">{PERIODS[name].label}</span>
                <kbd>{PERIODS[name].key.toUpperCase()}</kbd>
              </button>
            </li>
          ))}
        </ul>
        <RangeForm
          from={view.range.from}
          to={view.range.to}
          max={view.today}
          onApply={(from, to) => choose({ period: "custom", from, to })}
        />
      </Popover>
      <button
        type="button"
        className="button square"
        aria-label="Later period"
        disabled={!later}
        onClick={() => move(1)}
      >
        <Icon name="right" />
      </button>
    </div>
  );
}

/** The name of a period of the menu, or its dates once it was moved. */
function periodText(view: View): string {
  if (view.period !== "custom" && !view.moved) return PERIODS[view.period].label;
  return rangeText(view.range, view.today);
}

export function useMovePeriod(): (direction: -1 | 1) => void {
  const view = useView();
  const set = useSetSearch();
  return (direction) => {
    const moved = moveRange(view.range, direction, view.today);
    if (moved) set({ from: moved.from, to: moved.to });
  };
}

interface RangeFormProps {
  from: string;
  to: string;
  max?: string;
  onApply: (from: string, to: string) => void;
}

function RangeForm({ from, to, max, onApply }: RangeFormProps) {
  const [range, setRange] = useState({ from, to });
  const valid = isDay(range.from) && isDay(range.to) && range.from <= range.to;
  return (
    <form
      className="range-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) onApply(range.from, range.to);
      }}
    >
      <label>
        From
        <input
          type="date"
          value={range.from}
          max={max}
          onChange={(event) => setRange({ ...range, from: event.target.value })}
        />
      </label>
      <label>
        To
        <input
          type="date"
          value={range.to}
          max={max}
          onChange={(event) => setRange({ ...range, to: event.target.value })}
        />
      </label>
      <button type="submit" className="button primary" disabled={!valid}>
        Apply
      </button>
    </form>
  );
}

export function CompareMenu() {
  const view = useView();
  const set = useSetSearch();
  const [open, setOpen] = useState(false);
  const choose = (compare: Comparison, cfrom?: string, cto?: string) => {
    set({ compare, cfrom, cto });
    setOpen(false);
  };
  return (
    <Popover
      label="Comparison"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <button type="button" className="button">
          <span className="compare-mark" aria-hidden="true" />
          <span className="button-text">
            {view.compared ? `vs ${rangeText(view.compared, view.today)}` : "No comparison"}
          </span>
        </button>
      }
    >
      <ul className="choices">
        {(["off", "previous", "weekdays", "year"] as const).map((name) => (
          <li key={name}>
            <button type="button" aria-pressed={view.comparison === name} onClick={() => choose(name)}>
              <span className="grow">{COMPARISONS[name]}</span>
              {name === "previous" ? <kbd>X</kbd> : null}
            </button>
          </li>
        ))}
      </ul>
      <RangeForm
        from={view.compared?.from ?? view.range.from}
        to={view.compared?.to ?? view.range.to}
        max={view.today}
        onApply={(from, to) => choose("custom", from, to)}
      />
    </Popover>
  );
}
