import { PERIOD_NAMES, PERIODS } from "../state/period.ts";
import { Dialog } from "../ui/dialog.tsx";
import { NAV_PAGES } from "./pages.ts";

/** All keys of the page. */
export function Help({ onClose }: { onClose: () => void }) {
  const general: [string, string][] = [
    ["Ctrl K", "Search pages and actions (⌘ K on a Mac)"],
    ["/", "Add a filter"],
    ["← →", "Earlier or later period"],
    ["X", "Comparison on or off"],
    ["?", "This list"],
    ["Esc", "Close"],
  ];
  return (
    <Dialog title="Keyboard" onClose={onClose} wide>
      <div className="keys-grid">
        <KeyList title="Anywhere" keys={general} />
        <KeyList
          title="Period"
          keys={PERIOD_NAMES.filter((name) => name !== "custom").map((name) => [
            PERIODS[name].key.toUpperCase(),
            PERIODS[name].label,
          ])}
        />
        <KeyList
          title="Pages"
          keys={NAV_PAGES.flatMap(({ key, label }): [string, string][] => (key ? [[key.toUpperCase(), label]] : []))}
        />
        <KeyList
          title="Lists and charts"
          keys={[
            ["Click", "Filter everything by a row"],
            ["Shift click", "Leave a row out"],
            ["Drag", "Zoom into a chart"],
            ["← →", "Move along a chart that has the focus"],
          ]}
        />
        <KeyList
          title="Boards"
          keys={[
            ["Alt ← →", "Move the chart that has the focus"],
            ["Alt Shift ← →", "Make it narrower or wider"],
            ["Alt Shift ↑ ↓", "Make it shorter or taller"],
          ]}
        />
      </div>
    </Dialog>
  );
}

function KeyList({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="key-list">
        {keys.map(([key, what]) => (
          <div key={`${key} ${what}`}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
