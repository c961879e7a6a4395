import { type Format, full, share, signed } from "../format/numbers.ts";
import { uniqueKeys } from "../format/unique-keys.ts";
import type { Mover, MoverListsProps } from "./drawings.ts";

/** What went up beside what went down. */
export function MoverLists({ up, down, format, total }: MoverListsProps) {
  return (
    <div className="movers-lists">
      <MoverList title="Up" movers={up} format={format} total={total} />
      <MoverList title="Down" movers={down} format={format} total={total} />
    </div>
  );
}

interface MoverListProps {
  title: string;
  movers: readonly Mover[];
  format: Format;
  total: number | undefined;
}

function MoverList({ title, movers, format, total }: MoverListProps) {
  const keys = uniqueKeys(movers.map(({ key }) => key));
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {movers.length === 0 ? <p className="note">Nothing.</p> : null}
      <ol className="mover-list">
        {movers.map(({ name, now, before, difference }, index) => (
          <li key={keys[index]} title={`${name}: ${full(now, format)}, ${full(before, format)} before`}>
            <span className="mover-name">{name}</span>
            <span className="mover-share">{shareText(difference, total)}</span>
            <span className={difference > 0 ? "change better" : "change worse"}>{signed(difference, format)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Against the direction of the headline, or beyond its change, a share says nothing. */
function shareText(difference: number, total: number | undefined): string {
  const part = total === undefined || total === 0 ? 0 : difference / total;
  return part > 0 && part <= 1 ? share(part, 1) : "";
}
