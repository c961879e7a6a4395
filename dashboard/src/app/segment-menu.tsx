import { lazy, Suspense, useState } from "react";
import { type Segment, useSegments } from "../api/segments.ts";
import { useSession } from "../api/session.ts";
import { useIsInUrl, useSetSearch, useView } from "../state/view.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLine } from "../ui/menu.tsx";
import { useDialog } from "../ui/use-dialog.ts";

const dialogs = () => import("./segment-dialogs.tsx");
const NewSegment = lazy(async () => ({ default: (await dialogs()).NewSegment }));
const RenameSegment = lazy(async () => ({ default: (await dialogs()).RenameSegment }));
const DeleteSegment = lazy(async () => ({ default: (await dialogs()).DeleteSegment }));

type Asked = "filters" | "people" | "rename" | "delete";

/** Chooses a segment, and makes, renames and deletes them. */
export function SegmentMenu({ hasFilters }: { hasFilters: boolean }) {
  const { workspace } = useSession();
  const { project, segment, filters } = useView();
  const set = useSetSearch();
  const isInUrl = useIsInUrl();
  const { asked, ask, close } = useDialog<Asked>();
  const { data: segments } = useSegments(project, segment !== undefined || asked !== undefined);
  const chosen = segments?.find(({ id }) => id === segment);
  // Without its conditions, less would be saved than is seen.
  const isUnknown = segment !== undefined && chosen === undefined;
  const choose = ({ id }: Segment) => set({ segment: id, ...(hasFilters ? { f: undefined } : {}) });
  return (
    <>
      <Menu
        align="start"
        trigger={
          <button type="button" className="button" aria-label="Segments">
            <Icon name="user" />
            <span className="button-text">Segments</span>
          </button>
        }
      >
        <Choices />
        {workspace.can.edit ? (
          <>
            <MenuLine />
            {hasFilters && filters.length > 0 ? (
              <MenuItem icon="filter" disabled={isUnknown} onSelect={() => ask("filters")}>
                Save filters as a segment
              </MenuItem>
            ) : null}
            <MenuItem icon="plus" disabled={isUnknown} onSelect={() => ask("people")}>
              New segment by what people did
            </MenuItem>
            {chosen ? (
              <>
                <MenuItem icon="edit" onSelect={() => ask("rename")}>
                  Rename “{chosen.title}”
                </MenuItem>
                <MenuItem icon="trash" danger onSelect={() => ask("delete")}>
                  Delete “{chosen.title}”
                </MenuItem>
              </>
            ) : null}
          </>
        ) : null}
      </Menu>
      <Suspense fallback={null}>
        {asked === "filters" || asked === "people" ? (
          <NewSegment
            filters={hasFilters ? filters : []}
            within={chosen}
            byPeople={asked === "people"}
            onClose={close}
            onMade={choose}
          />
        ) : null}
        {asked === "rename" && chosen ? <RenameSegment segment={chosen} onClose={close} /> : null}
        {asked === "delete" && chosen ? (
          <DeleteSegment
            segment={chosen}
            onClose={close}
            onDeleted={() => {
              if (isInUrl("segment", chosen.id)) set({ segment: undefined });
            }}
          />
        ) : null}
      </Suspense>
    </>
  );
}

/** Asked for when the menu opens. */
function Choices() {
  const { project, segment } = useView();
  const set = useSetSearch();
  const { data: segments, error } = useSegments(project);
  return (
    <>
      <MenuLabel>
        {error
          ? "Segments cannot be read now."
          : segments?.length === 0
            ? "No segments yet: they keep filters."
            : "Segments"}
      </MenuLabel>
      <MenuChoice checked={segment === undefined} onSelect={() => set({ segment: undefined })}>
        Everybody
      </MenuChoice>
      {segments?.map(({ id, title }) => (
        <MenuChoice key={id} checked={id === segment} onSelect={() => set({ segment: id })}>
          {title}
        </MenuChoice>
      ))}
    </>
  );
}

const Conditions = lazy(async () => ({ default: (await dialogs()).SegmentConditions }));

/** The chosen segment, beside the filters. A click says what it is. */
export function SegmentChip({ id }: { id: string }) {
  const { project } = useView();
  const set = useSetSearch();
  const [isOpen, setOpen] = useState(false);
  const { data: segments } = useSegments(project);
  const segment = segments?.find((one) => one.id === id);
  const name = segment ? `Segment: ${segment.title}` : segments ? "A segment that does not exist" : "Segment";
  return (
    <li className="chip">
      <button type="button" className="chip-text" disabled={segment === undefined} onClick={() => setOpen(true)}>
        {name}
      </button>
      <button
        type="button"
        className="chip-close"
        aria-label={`Remove: ${name}`}
        onClick={() => set({ segment: undefined })}
      >
        <Icon name="close" size={12} />
      </button>
      {isOpen && segment ? (
        <Suspense fallback={null}>
          <Conditions segment={segment} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </li>
  );
}
