import type { Query } from "../api/client.ts";
import { useSession } from "../api/session.ts";
import { csvName, csvText, type TableData } from "../format/table.ts";

/** The browser has taken the file over by then. */
const KEPT_MS = 60_000;

export function downloadCsv(name: string, table: TableData): void {
  saveFile(name, new Blob([csvText(table)], { type: "text/csv;charset=utf-8" }));
}

function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Files are named after the project, the title, and the days that were asked for. */
export function useDownload() {
  const { project } = useSession();
  const nameOf = (title: string, { date_from, date_to }: Query) => {
    const days = [date_from, date_to].map((day) => (day === undefined ? undefined : String(day)));
    return csvName([project?.name, title, ...days]);
  };
  return {
    csv: (title: string, table: TableData, asked: Query = {}) => downloadCsv(nameOf(title, asked), table),
    picture: (title: string, picture: Blob, asked: Query = {}) =>
      saveFile(nameOf(title, asked).replace(/csv$/, "png"), picture),
  };
}
