import { Link } from "@tanstack/react-router";
import { Icon } from "../ui/icon.tsx";
import { Logo } from "../ui/logo.tsx";
import { NAV_PAGES } from "./pages.ts";

/** On a phone the first four stand at the bottom of the screen, and all of them behind "More". */
export function Nav({ onMore }: { onMore: () => void }) {
  return (
    <nav className="nav" aria-label="Pages">
      <Link to="/app" className="nav-logo" aria-label="Sextant, overview">
        <Logo />
        <span>Sextant</span>
      </Link>
      <ul>
        {NAV_PAGES.map(({ path, label, icon, startsGroup }) => (
          <li key={path} className={startsGroup ? "nav-group" : undefined}>
            <Link to={path} className="nav-link" activeOptions={{ exact: path === "/app", includeSearch: false }}>
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
