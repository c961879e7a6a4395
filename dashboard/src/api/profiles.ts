/** Profiles of wallets: what the API answers, and how the pages ask for it. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ApiRequest, call } from "./client.ts";
import { retryOnce } from "./reports.ts";

export interface Label {
  id: string;
  value: string;
  /** `-`: all chains. */
  chain_id: string;
  source: string;
}

/** Null: not known. All of its texts come from outside. */
export interface Profile {
  address: string;
  user_id: string | null;
  display_name: string | null;
  ens: string | null;
  first_seen: string | null;
  last_seen: string | null;
  imported_at: string | null;
  lifecycle: string | null;
  num_sessions: number;
  events: number;
  transactions: number;
  signatures: number;
  revenue: number;
  volume: number;
  points: number;
  device: string | null;
  browser: string | null;
  os: string | null;
  location: string | null;
  activity_dates: readonly string[];
  chains?: readonly { chain_id: string }[];
  labels?: readonly Label[];
  [column: string]: unknown;
}

export interface ProfilePage {
  data: readonly Profile[];
  page: number;
  size: number;
  total: number;
  has_more: boolean;
}

const FRESH_MS = 10_000;

/** A page of another question leaves; another page of the same one stays until the new one is here. */
export function useProfiles(request: ApiRequest, enabled: boolean) {
  const { page: _, ...question } = request.query ?? {};
  const asked = JSON.stringify([question, request.body]);
  return useQuery({
    queryKey: ["profiles", asked, request.query?.page],
    queryFn: ({ signal }) => call<ProfilePage>({ ...request, signal }),
    placeholderData: (before, query) => (query?.queryKey[1] === asked ? before : undefined),
    staleTime: FRESH_MS,
    retry: retryOnce,
    enabled,
  });
}

const profilePath = (address: string) => `/v0/profiles/${encodeURIComponent(address)}`;

export function profileRequest(project: string | undefined, address: string): ApiRequest {
  return { path: profilePath(address), query: { project_id: project, expand: "labels,chains" } };
}

export function useProfile(project: string | undefined, address: string) {
  const request = profileRequest(project, address);
  return useQuery({
    queryKey: ["profile", project, address],
    queryFn: ({ signal }) => call<Profile>({ ...request, isFirst: true, signal }),
    staleTime: FRESH_MS,
    retry: retryOnce,
    enabled: project !== undefined && address !== "",
  });
}

/** Who was named in the events of the same visitors. */
export interface Identity {
  anonymous_id: string;
  user_id: string;
  address: string;
  events: number;
  first_seen: string;
  last_seen: string;
}

export function useIdentities(project: string | undefined, address: string) {
  const request = { path: `${profilePath(address)}/identities`, query: { project_id: project } };
  return useQuery({
    queryKey: ["identities", project, address],
    queryFn: async ({ signal }) => (await call<{ data: readonly Identity[] }>({ ...request, signal })).data,
    staleTime: FRESH_MS,
    retry: retryOnce,
  });
}

export interface LabelChange {
  tag_id: string;
  value?: string;
  chain_id?: string;
}

/** Adds or removes a label, after which profiles are read again. */
export function useLabelWrite(project: string | undefined, address: string, method: "POST" | "DELETE") {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: LabelChange) =>
      call<unknown>({ method, path: `${profilePath(address)}/labels`, query: { project_id: project }, body }),
    onSuccess: () => Promise.all(["profile", "profiles"].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  });
}
