import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { EVENT_KINDS, type EventKind } from "../../../src/contract/event-kinds.ts";
import { PEOPLE_LIMITS } from "../../../src/contract/people.ts";
import { call } from "../api/client.ts";
import { type Behaviour, PRESETS, type Preset, TIMES_OPERATORS, type TimesOperator } from "../state/behaviours.ts";
import { useView } from "../state/view.ts";
import { Icon } from "../ui/icon.tsx";

interface BehaviourFieldsProps {
  nth: number;
  behaviour: Behaviour;
  onChange: (behaviour: Behaviour) => void;
  onRemove: () => void;
}

/** What somebody did, how often, and when. */
export function BehaviourFields({ nth, behaviour, onChange, onRemove }: BehaviourFieldsProps) {
  const { event, operator, times, preset = "all_time", date_from = "", date_to = "" } = behaviour;
  const list = useId();
  const names = useEventNames();
  return (
    <div className="behaviour">
      <label>
        did
        <input
          type="text"
          list={list}
          value={event}
          placeholder="type or name of an event"
          aria-label={`Event ${nth}`}
          maxLength={512}
          spellCheck={false}
          autoComplete="off"
          required
          onChange={({ target }) => onChange({ ...behaviour, event: target.value })}
        />
        <datalist id={list}>
          {Object.keys(EVENT_KINDS).map((kind) => (
            <option key={kind} value={kind}>
              {EVENT_KINDS[kind as EventKind].label}
            </option>
          ))}
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <div className="behaviour-times">
        <select
          value={operator}
          aria-label={`How often, event ${nth}`}
          onChange={({ target }) => onChange({ ...behaviour, operator: target.value as TimesOperator })}
        >
          {Object.entries(TIMES_OPERATORS).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
        <input
          type="number"
          value={Number.isNaN(times) ? "" : times}
          min={0}
          max={PEOPLE_LIMITS.times}
          step={1}
          aria-label={`Times, event ${nth}`}
          required
          onChange={({ target }) => onChange({ ...behaviour, times: target.valueAsNumber })}
        />
        <span>times</span>
      </div>
      <select
        value={preset}
        aria-label={`Period, event ${nth}`}
        onChange={({ target }) => onChange(withPreset(behaviour, target.value as Preset))}
      >
        {Object.entries(PRESETS).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      {preset === "custom" ? (
        <div className="behaviour-days">
          <input
            type="date"
            value={date_from}
            aria-label={`First day, event ${nth}`}
            required
            onChange={({ target }) => onChange({ ...behaviour, date_from: target.value })}
          />
          <input
            type="date"
            value={date_to}
            aria-label={`Last day, event ${nth}`}
            required
            onChange={({ target }) => onChange({ ...behaviour, date_to: target.value })}
          />
        </div>
      ) : null}
      <button type="button" className="button ghost square" aria-label={`Remove event ${nth}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Only "between two days" has days. */
function withPreset({ date_from, date_to, ...others }: Behaviour, preset: Preset): Behaviour {
  const behaviour = { ...others, preset } as Behaviour;
  return preset === "custom"
    ? { ...behaviour, ...(date_from ? { date_from } : {}), ...(date_to ? { date_to } : {}) }
    : behaviour;
}

/** The names of custom and decoded events of the period, the most frequent first. */
function useEventNames(): readonly string[] {
  const { query } = useView();
  const { project_id, date_from, date_to } = query;
  const { data } = useQuery({
    queryKey: ["values", "event", project_id, date_from, date_to],
    queryFn: ({ signal }) =>
      call<{ data: { value: string }[] }>({
        path: "/v0/distinct_values",
        query: { project_id, date_from, date_to, field: "event", limit: 200 },
        signal,
      }),
    staleTime: 300_000,
    retry: false,
  });
  return (
    data?.data.map(({ value }) => value).filter((value) => value !== "" && !Object.hasOwn(EVENT_KINDS, value)) ?? []
  );
}
