import { full } from "../format/numbers.ts";
import { Icon } from "./icon.tsx";

interface PagerProps {
  total: number;
  page: number;
  size: number;
  /** The words of the two buttons. */
  before: string;
  after: string;
  onPage: (page: number) => void;
}

/** Moves between the pages of a list; nothing where there is one alone. */
export function Pager({ total, page, size, before, after, onPage }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / size));
  if (last === 1 && page === 1) return null;
  const from = (page - 1) * size + 1;
  const count = (value: number) => full(value, "count");
  return (
    <nav className="pager" aria-label="Pages of the list">
      <button type="button" className="button" disabled={page === 1} onClick={() => onPage(Math.min(page - 1, last))}>
        <Icon name="left" /> {before}
      </button>
      <span className="note">
        {from > total ? "Nothing" : `${count(from)} to ${count(Math.min(total, from + size - 1))}`} of {count(total)}
      </span>
      <button type="button" className="button" disabled={page >= last} onClick={() => onPage(page + 1)}>
        {after} <Icon name="right" />
      </button>
    </nav>
  );
}
