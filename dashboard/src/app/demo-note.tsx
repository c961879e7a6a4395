import { useMutation, useQueryClient } from "@tanstack/react-query";
import { unwrap } from "../api/forms.ts";
import { useSession } from "../api/session.ts";
import { useIsInUrl, useSetSearch, useView } from "../state/view.ts";

/** On every page with numbers of the demo: what is shown is invented, and one click deletes it. */
export function DemoNote() {
  const { projects, workspace } = useSession();
  const { project } = useView();
  const client = useQueryClient();
  const set = useSetSearch();
  const isInUrl = useIsInUrl();
  const remove = useMutation({
    mutationFn: (_demo: string) => unwrap({ method: "DELETE", path: "/api/demo" }),
    onSuccess: async (_, demo) => {
      // First, so that no menu lists it any more once the page shows another one.
      await client.invalidateQueries({ queryKey: ["account"] });
      // Without a project it is the first one.
      if (isInUrl("project", demo) || isInUrl("project", undefined)) set({ project: undefined, segment: undefined });
      await client.invalidateQueries({ queryKey: ["demo"] });
    },
  });
  if (project === undefined || !projects.find(({ id }) => id === project)?.isDemo) return null;
  return (
    <section className="demo-note" aria-label="Demo">
      <span>
        <strong>Demo.</strong> All of this is invented: no such exchange exists.
      </span>
      {workspace.can.manageProjects ? (
        <button
          type="button"
          className="link-button"
          disabled={remove.isPending}
          onClick={() => remove.mutate(project)}
        >
          {remove.isPending ? "Deleting…" : remove.isError ? "Try to delete it again" : "Delete the demo"}
        </button>
      ) : null}
    </section>
  );
}
