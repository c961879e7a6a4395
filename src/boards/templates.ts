/** Boards to begin with. Each is a file of boards in `templates/`, whose name is its id. */
import { readFileSync } from "node:fs";
import { ApiError } from "../contract/errors.ts";
import type { BoardFile } from "./board-file.ts";

/** In the order of the list. */
const IDS = ["growth", "revenue", "defi", "retention"] as const;

interface Template extends BoardFile {
  readonly id: string;
}

const TEMPLATES: readonly Template[] = IDS.map((id) => ({
  id,
  ...(JSON.parse(readFileSync(new URL(`./templates/${id}.json`, import.meta.url), "utf8")) as BoardFile),
}));

export function listTemplates() {
  return TEMPLATES.map(({ id, title, description, charts }) => ({
    id,
    title,
    description: description ?? "",
    charts: charts.map(({ chart_type, title: name }) => ({ chart_type, title: name })),
  }));
}

export function getTemplate(id: string): BoardFile {
  const found = TEMPLATES.find((one) => one.id === id);
  if (found === undefined)
    throw new ApiError("BAD_REQUEST", `There is no template ${id}: there are ${IDS.join(", ")}`, {
      param: "body.template",
    });
  const { id: _id, ...file } = found;
  return file;
}
