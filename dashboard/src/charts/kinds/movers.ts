/** What moved a number: the values with the largest differences to the comparison, from the report `breakdown`. */
import type { AnyRow } from "../any-row.ts";
import type { Mover, MoverListsProps } from "../drawings.ts";
import { valueRows } from "../value-rows.ts";
import { type ChartContext, type ChartKind, type Part, VIEW } from "./kind.ts";
import type { RankedLook } from "./ranked.ts";

function read([most, least]: readonly Part<AnyRow>[], { look }: ChartContext<RankedLook>) {
  const moversOf = (part: Part<AnyRow> | undefined): Mover[] =>
    valueRows(part?.rows ?? [], look, look.measure)
      .map(({ key, name, row }) => {
        const [now, before] = [Number(row[look.measure] ?? 0), Number(row[`${look.measure}_previous`] ?? 0)];
        return { key, name, now, before, difference: now - before };
      })
      .sort((one, other) => Math.abs(other.difference) - Math.abs(one.difference));
  return {
    up: moversOf(most).filter(({ difference }) => difference > 0),
    down: moversOf(least).filter(({ difference }) => difference < 0),
  };
}

export const MOVERS_KIND: ChartKind<Part<AnyRow>, MoverListsProps, RankedLook> = {
  needs: [...VIEW, "compare_from", "compare_to"],
  parts: () => [{ order: "desc" }, { order: "asc" }],
  drawing: (rows, context) => ({ ...read(rows, context), format: context.look.format }),
  table: (rows, context) => {
    const { name, label, format } = context.look;
    const { up, down } = read(rows, context);
    return {
      columns: [
        { key: "name", label: name },
        { key: "now", label, format },
        { key: "before", label: `${label} before`, format },
        { key: "difference", label: "Difference", format },
      ],
      rows: [...up, ...down.toReversed()],
    };
  },
  isEmpty: (rows, context) => {
    const { up, down } = read(rows, context);
    return up.length === 0 && down.length === 0;
  },
  skeleton: 5,
};
