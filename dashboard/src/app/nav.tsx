import { Link } from "@tanstack/react-router";
import { Icon } from "../ui/icon.tsx";
import { Logo } from "../ui/logo.tsx";
import { NAV_ITEMS } from "./nav-items.ts";

/** On a phone the first four stand at the bottom of the screen, and all of them behind "More". */
export function Nav({ onMore }: { onMore: () => void }) {
  return (
    <nav className="nav" aria-label="Pages">
      <Link to="/app" className="nav-logo" aria-label="Sextant, overview">
        <Logo />
        <span>Sextant</span>
      </Link>
      <ul>
        {NAV_ITEMS.map(({ to, label, icon }) => (
          <li key={to}>
            <Link to={to} className="nav-link" activeOptions={{ exact: to === "/app", includeSearch: false }}>
              <Icon name={icon} />
              <span>{label}</span>
            </Link>
          </li>
        ))}
        <li className="nav-more">
          <button type="button" className="nav-link" onClick={onMore}>
            <Icon name="more" />
            <span>More</span>
          </button>
        </li>
      </ul>
    </nav>
  );
}
