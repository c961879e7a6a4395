/** Alerts and their firings: what the API answers, and how the pages ask for it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AlertView, FiringView, RecipientType, TriggerType } from "../../../src/contract/alerts.ts";
import type { EventPreview, MetricPreview, WalletPreview } from "../../../src/contract/metric-alerts.ts";
import { type ApiRequest, call } from "./client.ts";
import { type Page, unwrap } from "./forms.ts";
import { retryOnce } from "./reports.ts";

export type Alert = AlertView;
export type Firing = FiringView;

export interface AlertFilter {
  field: string;
  op: string;
  value: string;
}

/** As it is saved. `secret` absent: as it was. */
export interface AlertDraft {
  name: string;
  trigger_type: TriggerType;
  trigger_filters: readonly AlertFilter[];
  recipient: readonly { type: RecipientType; value: readonly string[] }[];
  secret?: string | null;
  slack_property_keys: readonly string[];
  include_imported: boolean;
  metric?: Readonly<Record<string, unknown>>;
}

export interface AlertPreview {
  metric: MetricPreview | null;
  events: EventPreview | null;
  wallets: WalletPreview | null;
}

export interface TestResult {
  delivered: number;
  failed: number;
  results: readonly { url: string; ok: boolean; status: number | null; reason: string | null }[];
}

const KEY = "alerts";
/** Somebody may wait for a firing with the page open. */
const AGAIN_MS = 15_000;

export function useAlerts(project: string | undefined) {
  return useQuery({
    queryKey: [KEY, project],
    queryFn: ({ signal }) =>
      call<Page<Alert>>({ path: "/v0/alerts", query: { project_id: project, size: 200 }, signal }),
    refetchInterval: AGAIN_MS,
    enabled: project !== undefined,
  });
}

export function useFirings(alertId: string, page: number) {
  return useQuery({
    queryKey: [KEY, "firings", alertId, page],
    queryFn: ({ signal }) =>
      call<Page<Firing>>({ path: `/v0/alerts/${alertId}/firings`, query: { page, size: 20 }, signal }),
    placeholderData: (before) => before,
    refetchInterval: AGAIN_MS,
  });
}

export function previewRequest(project: string | undefined, draft: Omit<AlertDraft, "name" | "recipient">): ApiRequest {
  const { trigger_type, trigger_filters, include_imported, metric } = draft;
  const body =
    trigger_type === "metric"
      ? { trigger_type, metric, project_id: project }
      : { trigger_type, trigger_filters, include_imported, project_id: project };
  return { method: "POST", path: "/v0/alerts/preview", body };
}

export function useAlertPreview(request: ApiRequest, enabled: boolean) {
  return useQuery({
    queryKey: ["alert-preview", request.body],
    queryFn: ({ signal }) => call<AlertPreview>({ ...request, signal }),
    placeholderData: (before) => before,
    retry: retryOnce,
    enabled,
  });
}

/** A change, after which alerts, firings and notifications are read again. */
export function useAlertWrite<T, V = void>(toRequest: (value: V) => ApiRequest, onDone?: (answer: T) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: V) => call<T>(toRequest(value)),
    onSuccess: async (answer) => {
      onDone?.(answer);
      await Promise.all([KEY, BELL].map((key) => client.invalidateQueries({ queryKey: [key] })));
    },
  });
}

export interface Notification {
  id: string;
  alertId: string;
  name: string;
  kind: TriggerType;
  count: number;
  details: Readonly<Record<string, unknown>>;
  createdAt: string;
  isUnread: boolean;
}

const BELL = "notifications";

export function useNotifications(project: string | undefined) {
  return useQuery({
    queryKey: [BELL, project],
    queryFn: ({ signal }) =>
      unwrap<{ unread: number; items: readonly Notification[] }>({
        path: "/api/notifications",
        query: { project_id: project },
        signal,
      }),
    refetchInterval: AGAIN_MS,
    retry: false,
    enabled: project !== undefined,
  });
}

/** The ones up to a time are seen. */
export function useMarkRead(project: string | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (until: string) =>
      unwrap<unknown>({ method: "POST", path: "/api/notifications/read", body: { project_id: project, until } }),
    onSuccess: () => client.invalidateQueries({ queryKey: [BELL] }),
  });
}
