/** Asks for a board by its public link: no cookie is sent, and no account is needed. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ChartFields } from "../../api/boards.ts";
import { call } from "../../api/client.ts";
import { isPassing, RequestFailed } from "../../api/failure.ts";
import { useNear } from "../../api/near.tsx";
import type { ImportedNote } from "../../api/reports.ts";
import type { AnyRow } from "../../charts/any-row.ts";
import type { Range } from "../../format/range.ts";
import type { Answer } from "../../panels/chart-answer.tsx";

export interface SharedChart extends ChartFields {
  id: string;
}

export interface SharedBoard {
  title: string;
  description: string | null;
  period: { date_from: string; date_to: string; locked: boolean; timezone: string };
  charts: readonly SharedChart[];
  /** Those that the limits of the link cannot be applied to. */
  charts_left_out: number;
}

interface Wrapped<T> {
  data: T;
}

/** While the page is open. Whoever looks gets the same answer for a minute anyway. */
const REFRESH_MS = 60_000;
const MOST_FAILURES = 2;

const pathOf = (token: string) => `/api/shared/${encodeURIComponent(token)}`;
const retry = (failures: number, failure: unknown) => failures < MOST_FAILURES && isPassing(failure);

export interface SharedLink {
  token: string;
  /** What the password gave. */
  opening: string | undefined;
}

/** Asked again while the page is open: charts come and go, and a link ends. */
export function useSharedBoard({ token, opening }: SharedLink) {
  const client = useQueryClient();
  const queryKey = ["shared", token, opening];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const query = client.getQueryData(queryKey) === undefined ? {} : { again: true };
      const request = { path: pathOf(token), query, link: { opening }, isFirst: true, signal };
      return (await call<Wrapped<SharedBoard>>(request)).data;
    },
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
    retry,
  });
}

/** `days`: undefined for those of the link. */
export function useSharedChart({ token, opening }: SharedLink, chart: string, days: Range | undefined) {
  const { isNear } = useNear();
  return useQuery({
    queryKey: ["shared-chart", token, opening, chart, days],
    queryFn: async ({ signal }): Promise<Answer & { imported?: ImportedNote | undefined }> => {
      const { data } = await call<
        Wrapped<{ date_from: string; date_to: string; results: { data: readonly AnyRow[]; imported?: ImportedNote } }>
      >({
        path: `${pathOf(token)}/charts/${encodeURIComponent(chart)}`,
        query: { date_from: days?.from, date_to: days?.to },
        link: { opening },
        exactIntegers: true,
        signal,
      });
      const { date_from, date_to, results } = data;
      return { rows: results.data, asked: { date_from, date_to }, imported: results.imported };
    },
    enabled: isNear,
    placeholderData: (before) => before,
    refetchInterval: REFRESH_MS,
    retry,
  });
}

export function useOpenBoard(token: string, onOpen: (opening: string) => void, opening: string | undefined) {
  return useMutation({
    mutationFn: async (password: string) =>
      (
        await call<Wrapped<{ token: string }>>({
          method: "POST",
          path: `${pathOf(token)}/open`,
          body: { password },
          // One from before gives this browser attempts of its own.
          link: { opening },
        })
      ).data.token,
    onSuccess: onOpen,
  });
}

export const isLocked = (failure: unknown) => failure instanceof RequestFailed && failure.status === 401;
export const isGone = (failure: unknown) => failure instanceof RequestFailed && failure.status === 404;

/** Kept for a reload. A browser without storage, as in some frames, asks for the password again. */
export function useOpening(token: string): [string | undefined, (opening: string) => void] {
  // The end of the token says which link it is, and opens nothing.
  const key = `sextant.opened.${token.slice(-8)}`;
  const [opening, setOpening] = useState(() => readStored(key));
  return [
    opening,
    (given) => {
      setOpening(given);
      try {
        localStorage.setItem(key, given);
      } catch {
        // It lasts as long as the page.
      }
    },
  ];
}

function readStored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}
