/** The resources of a workspace: lists by their path, and writes. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiRequest } from "./client.ts";
import { unwrap } from "./forms.ts";
import { useSession } from "./session.ts";

/** A list of the workspace, by its path. */
export function useList<T>(path: string, enabled = true) {
  const { workspace } = useSession();
  return useQuery({
    queryKey: ["settings", workspace.id, path],
    queryFn: ({ signal }) => unwrap<readonly T[]>({ path, signal }),
    enabled,
  });
}

/** A write after which lists and the account are read again. */
export function useWrite<T, V = void>(toRequest: (value: V) => ApiRequest, onDone?: (answer: T) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (value: V) => unwrap<T>(toRequest(value)),
    onSuccess: async (answer) => {
      onDone?.(answer);
      await Promise.all([
        client.invalidateQueries({ queryKey: ["settings"] }),
        client.invalidateQueries({ queryKey: ["account"] }),
      ]);
    },
  });
}
