/** Files of history: what the API answers, and how the page asks for it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ImportState } from "../../../src/contract/import-limits.ts";
import type { ApiRequest } from "./client.ts";
import { unwrap } from "./forms.ts";
import { retryOnce } from "./reports.ts";
import { useSession } from "./session.ts";

export interface ImportItem {
  id: string;
  projectId: string;
  fileName: string;
  fileBytes: number;
  receivedBytes: number;
  state: ImportState;
  source: string | null;
  /** As it was started. */
  columns: Readonly<Record<string, string>>;
  values: Readonly<Record<string, string>>;
  doneBytes: number;
  rows: number;
  events: number;
  refused: number;
  message: string | null;
  /** False: the command has read the file. */
  isUpload: boolean;
  /** Of an export of sums of days. */
  days: { firstDay: string; lastDay: string } | null;
  createdAt: string;
  endedAt: string | null;
}

/** Field of an event or a wallet -> column of the file, or one value for every row. */
export interface Reading {
  source?: string | undefined;
  columns?: Readonly<Record<string, string>>;
  values?: Readonly<Record<string, string>>;
}

/** What becomes of the rows of a file. */
export type Gives = "events" | "wallets" | "days";

export interface ImportPreview {
  source: string;
  sources: readonly { name: string; label: string; file: string; gives: Gives }[];
  fields: readonly string[];
  columns: readonly string[];
  rows: number;
  isWhole: boolean;
  events: number;
  first: readonly Record<string, unknown>[];
  refused: readonly { reason: string; rows: number; at: string }[];
  earliest: string | null;
  latest: string | null;
}

/** A day as another product has counted it. */
interface ImportedDay {
  day: string;
  visitors: number;
  visits: number;
  pageviews: number;
  bounces: number;
  durationMs: number;
  isCounted: boolean;
}

const KEY = "imports";
const POLL_MS = 1_000;
const isUnderWay = ({ state }: ImportItem) => state === "waiting" || state === "running";

/** Asked again each second while one of them runs. */
export function useImports(project: string | undefined) {
  const { workspace } = useSession();
  return useQuery({
    queryKey: [KEY, workspace.id, project],
    queryFn: ({ signal }) =>
      unwrap<readonly ImportItem[]>({ path: "/api/imports", query: { project_id: project }, signal }),
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? POLL_MS : false),
    enabled: project !== undefined,
  });
}

export const MOST_DAYS = 1000;

/** The first ones of an import. */
export function useImportedDays(id: string) {
  const { workspace } = useSession();
  return useQuery({
    queryKey: [KEY, workspace.id, id, "days"],
    queryFn: ({ signal }) => unwrap<readonly ImportedDay[]>({ path: `/api/imports/${id}/days`, signal }),
    retry: retryOnce,
  });
}

function previewRequest(id: string, reading: Reading): ApiRequest {
  return { method: "POST", path: `/api/imports/${id}/preview`, body: reading };
}

export function useImportPreview(id: string, reading: Reading) {
  const { workspace } = useSession();
  return useQuery({
    queryKey: ["import-preview", workspace.id, id, reading],
    queryFn: ({ signal }) => unwrap<ImportPreview>({ ...previewRequest(id, reading), signal }),
    placeholderData: (before) => before,
    retry: retryOnce,
  });
}

/** A change of an import, after which the list is read again. */
export function useImportWrite<V>(toRequest: (value: V) => ApiRequest, onDone?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: V) => unwrap<unknown>(toRequest(value)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [KEY] });
      // Imported days are in reports, and in what "all time" means.
      void client.invalidateQueries({ queryKey: ["report"] });
      onDone?.();
    },
  });
}

export function useReadImportsAgain() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: [KEY] });
}
