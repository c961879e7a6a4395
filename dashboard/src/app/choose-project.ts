import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useSetSearch } from "../state/view.ts";
import { findPage } from "./pages.ts";

/** Shows another project: the same page of it, or the list that a page of one thing belongs to. */
export function useChooseProject(): (id: string) => void {
  const set = useSetSearch();
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return (id) => {
    // Segments are those of a project.
    const chosen = { project: id, segment: undefined, segments: undefined };
    const list = findPage(path)?.listedAt;
    if (list === undefined) set(chosen);
    else void navigate({ to: list, search: chosen as never });
  };
}
