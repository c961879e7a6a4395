/** Boards and their charts, as the service keeps them. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ChartType } from "../../../src/contract/chart-types.ts";
import { type ApiRequest, call } from "./client.ts";
import { retryOnce } from "./reports.ts";

export interface Board {
  id: string;
  project_id: string;
  title: string;
  description: string | null;
  /** How many it has. */
  charts: number;
  created_at: string;
  updated_at: string | null;
}

export interface BoardTemplate {
  id: string;
  title: string;
  description: string;
  charts: readonly { chart_type: ChartType; title: string }[];
}

/** A step of a funnel or a path, as the reports take it. */
export type ChartStep = Readonly<Record<string, unknown>>;

export interface ChartSettings {
  layout?: { width?: number; height?: number };
  funnelType?: "closed" | "open";
  conversionWindow?: { value: number; unit: "hour" | "day" | "week" };
  breakdown?: string | null;
  anchors?: readonly ChartStep[];
  startStep?: ChartStep | null;
  endStep?: ChartStep | null;
  maxSteps?: number;
  nodesPerStep?: number;
  entryFilter?: ChartStep | null;
  retentionFilter?: ChartStep | null;
  /** The ids of segments that it compares. */
  segments?: readonly string[];
  /** Of a public link: it compares segments, whose ids are not told. */
  isCompared?: boolean;
  /** How this page draws it, where the type does not say all: the name of a chart of the registry, and its look. */
  drawn?: { type: string; look?: object };
  readonly [other: string]: unknown;
}

/** What a chart asks and how it looks; absent fields are null. */
export interface ChartFields {
  chart_type: ChartType;
  title: string;
  description?: string | null;
  query?: string | null;
  report?: string | null;
  params?: Readonly<Record<string, unknown>> | null;
  x_axis?: string | null;
  y_axis?: readonly string[] | null;
  group_by?: string | null;
  steps?: readonly ChartStep[] | null;
  settings?: ChartSettings | null;
}

export interface SavedChart extends ChartFields {
  id: string;
  board_id: string;
  position: number;
  updated_at: string | null;
}

interface Listed<T> {
  data: readonly T[];
  total: number;
}

export const boardPath = (board: string) => `/v0/boards/${encodeURIComponent(board)}`;
export const chartPath = (board: string, chart: string) => `${boardPath(board)}/charts/${encodeURIComponent(chart)}`;

const boardsKey = (project: string | undefined) => ["boards", project] as const;
export const chartsKey = (board: string) => ["charts", board] as const;

/** All of a project, the newest first: there are at most 100. */
export function useBoards(project: string | undefined) {
  return useQuery({
    queryKey: boardsKey(project),
    queryFn: ({ signal }) => call<Listed<Board>>({ path: "/v0/boards", query: { project_id: project }, signal }),
    enabled: project !== undefined,
    retry: retryOnce,
  });
}

export function useBoard(board: string) {
  return useQuery({
    queryKey: ["board", board],
    queryFn: ({ signal }) => call<Board>({ path: boardPath(board), isFirst: true, signal }),
    retry: retryOnce,
  });
}

export function useTemplates(enabled = true) {
  return useQuery({
    queryKey: ["board-templates"],
    queryFn: ({ signal }) => call<Listed<BoardTemplate>>({ path: "/v0/boards/templates", signal }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
    retry: retryOnce,
  });
}

/** In their order, with their questions and places; none of them is run. */
export function useCharts(board: string) {
  return useQuery({
    queryKey: chartsKey(board),
    queryFn: async ({ signal }) => {
      const request = { path: `${boardPath(board)}/charts`, query: { include: "spec" }, isFirst: true, signal };
      return (await call<Listed<SavedChart>>(request)).data;
    },
    retry: retryOnce,
  });
}

/** A write after which boards and their charts are read again. */
export function useBoardWrite<T, V = void>(
  toRequest: (value: V) => ApiRequest,
  onDone?: (answer: T, value: V) => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: V) => call<T>(toRequest(value)),
    onSuccess: async (answer, value) => {
      onDone?.(answer, value);
      await Promise.all(["boards", "board", "charts"].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
}
