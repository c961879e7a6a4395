/** Reports with a fixed list of kinds: every project has a row for each of them, also where nothing was counted. */
import type { Row } from "../report/report.ts";

export interface Kind {
  readonly project_id: string;
  readonly name: string;
  /** Undefined: nothing was counted. */
  readonly row: Row | undefined;
}

/** `number` is the column of a counted row with the number of its kind, from 1. */
export function listKinds(
  projects: readonly string[],
  counted: readonly Row[],
  { names, number }: { names: readonly string[]; number: string },
): Kind[] {
  const findRow = (project_id: string, index: number) =>
    counted.find((row) => row.project_id === project_id && row[number] === index + 1);
  return projects
    .toSorted()
    .flatMap((project_id) => names.map((name, index) => ({ project_id, name, row: findRow(project_id, index) })));
}
