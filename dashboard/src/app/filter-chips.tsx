import { lazy, Suspense, useState } from "react";
import { uniqueKeys } from "../format/unique-keys.ts";
import { type Filter, filterText } from "../state/filters.ts";
import { useSetFilters, useSetSearch, useView } from "../state/view.ts";
import { Icon } from "../ui/icon.tsx";
import { Popover, type TriggerElement } from "../ui/popover.tsx";
import { filterWords } from "./filter-words.ts";
import { SegmentChip } from "./segment-menu.tsx";

const FilterForm = lazy(async () => ({ default: (await import("./filter-form.tsx")).FilterForm }));

/** The filters of the page. A click on a chip changes it. */
export function FilterChips({ hasFilters }: { hasFilters: boolean }) {
  const view = useView();
  const filters = hasFilters ? view.filters : [];
  const set = useSetSearch();
  const setFilters = useSetFilters();
  if (filters.length === 0 && view.segment === undefined) return null;
  // A link may have the same condition twice.
  const keys = uniqueKeys(filters.map(filterText));
  return (
    <ul className="chips" aria-label="Filters">
      {view.segment === undefined ? null : <SegmentChip key={view.segment} id={view.segment} />}
      {filters.map((filter, index) => (
        <li key={keys[index]} className="chip">
          <FilterPopover
            filter={filter}
            onApply={(changed) => setFilters(filters.map((known, at) => (at === index ? changed : known)))}
            trigger={
              <button type="button" className="chip-text">
                {filterWords(filter)}
              </button>
            }
          />
          <button
            type="button"
            className="chip-close"
            aria-label={`Remove filter: ${filterWords(filter)}`}
            onClick={() => setFilters(filters.filter((_, at) => at !== index))}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
      <li>
        <button type="button" className="link-button" onClick={() => set({ f: undefined, segment: undefined })}>
          Clear all
        </button>
      </li>
    </ul>
  );
}

/** The button that adds a filter. */
export function AddFilter({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { filters } = useView();
  const setFilters = useSetFilters();
  return (
    <FilterPopover
      open={open}
      onOpenChange={onOpenChange}
      onApply={(filter) => setFilters([...filters, filter])}
      trigger={
        <button type="button" className="button" aria-label="Add a filter">
          <Icon name="filter" />
          <span className="button-text">Filter</span>
        </button>
      }
    />
  );
}

interface FilterPopoverProps {
  filter?: Filter;
  trigger: TriggerElement;
  onApply: (filter: Filter) => void;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

function FilterPopover({ filter, trigger, onApply, open, onOpenChange }: FilterPopoverProps) {
  const [own, setOwn] = useState(false);
  const shown = open ?? own;
  const setShown = onOpenChange ?? setOwn;
  return (
    <Popover label="Filter" trigger={trigger} open={shown} onOpenChange={setShown} align="start">
      <Suspense fallback={<div className="filter-form" role="status" aria-label="Loading" />}>
        <FilterForm
          filter={filter}
          onApply={(applied) => {
            onApply(applied);
            setShown(false);
          }}
        />
      </Suspense>
    </Popover>
  );
}
