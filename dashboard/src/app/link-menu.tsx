import { useRef, useState } from "react";
import { rangeText } from "../format/dates.ts";
import { useView } from "../state/view.ts";
import { copyText } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";
import { Menu, MenuItem, MenuLabel } from "../ui/menu.tsx";

const SHOWN_MS = 1500;

/** Copies the address of the page: it holds period, comparison, filters and open tabs. */
export function LinkMenu({ period }: { period: boolean }) {
  const { range, today } = useView();
  const [copied, setCopied] = useState(false);
  const hiding = useRef<ReturnType<typeof setTimeout>>(undefined);
  const copy = async (url: URL) => {
    clearTimeout(hiding.current);
    // Screen readers say only what has changed.
    setCopied(false);
    if (await copyText(url.href)) setCopied(true);
    hiding.current = setTimeout(() => setCopied(false), SHOWN_MS);
  };
  const fixed = () => {
    const url = new URL(location.href);
    const days = { period: "custom", from: range.from, to: range.to };
    for (const [name, value] of Object.entries(days)) url.searchParams.set(name, value);
    return url;
  };
  return (
    <>
      <Menu
        trigger={
          <button type="button" className="button ghost square" aria-label="Copy a link to this view">
            <Icon name={copied ? "check" : "link"} />
          </button>
        }
      >
        <MenuLabel>Whoever opens it signs in here first.</MenuLabel>
        <MenuItem icon="link" onSelect={() => void copy(new URL(location.href))}>
          Copy the link to this view
        </MenuItem>
        {period ? (
          <MenuItem icon="calendar" onSelect={() => void copy(fixed())}>
            Copy it with the days fixed: {rangeText(range, today)}
          </MenuItem>
        ) : null}
      </Menu>
      <span className="hidden" aria-live="polite">
        {copied ? "Link copied" : ""}
      </span>
    </>
  );
}
