/**
 * The script that a site loads from the events server with one line:
 * `<script defer src="https://events.example/script.js" data-key="sxw_..."></script>`. It counts pages and what wallets
 * do, and offers `sextant.track` and `sextant.identify`. Without cookies; without a request before the first event.
 */
import { watchPages } from "./pages.ts";
import { createSender } from "./send.ts";
import { type Fields, keep, randomId, visitorId, visitSource } from "./visit.ts";
import { watchWallets } from "./wallets.ts";

const OFF = "sextant_off";

function start(tag: HTMLOrSVGScriptElement | null): void {
  const key = tag?.dataset.key;
  if (!(tag instanceof HTMLScriptElement) || !key) {
    console.warn('Sextant: the script needs data-key="<write key>"');
    return;
  }
  const send = createSender(new URL("v0/raw_events", tag.src).href, key);
  let user = "";

  function tell(type: string, properties: Fields = {}, event = ""): void {
    if (keep("local", OFF)) return;
    send({
      channel: "web",
      type,
      event,
      version: "1",
      message_id: randomId(),
      anonymous_id: visitorId(),
      user_id: user,
      address: wallets?.address ?? "",
      original_timestamp: new Date().toISOString(),
      properties,
      context: {
        ...visitSource(),
        user_agent: navigator.userAgent,
        locale: navigator.language,
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        page_url: location.href,
        page_path: location.pathname,
        page_title: document.title,
        screen_width: screen.width,
        screen_height: screen.height,
        library_name: "sextant",
        library_version: "1",
      },
    });
  }

  function page(name?: string, properties: Fields = {}): void {
    const { href: url, pathname: path, hash } = location;
    tell("page", { url, path, hash, title: document.title, ...(name ? { name } : {}), ...properties });
  }

  // Before the wallets: they may tell of themselves at once.
  let wallets: ReturnType<typeof watchWallets> | undefined;
  watchPages(page);
  wallets = watchWallets(tell);

  const api = {
    page,
    track: (name: string, properties: Fields = {}) => tell("track", properties, String(name)),
    /** For wallets that do not announce themselves. */
    connect: (address: string, properties: Fields = {}) => wallets?.use(address, properties),
    disconnect: () => wallets?.leave(),
    identify(id: string, traits: Fields = {}) {
      user = String(id);
      tell("identify", traits);
    },
    /** For people who do not want to be counted, and for oneself. */
    optOut: () => void keep("local", OFF, "1"),
    optIn: () => void keep("local", OFF, ""),
  };
  const global = window as { sextant?: unknown };
  const early = Array.isArray(global.sextant) ? (global.sextant as [keyof typeof api, ...never[]][]) : [];
  global.sextant = api;
  // Calls from before this script was loaded: (window.sextant ||= []).push(["track", "Signed up"]).
  for (const [name, ...args] of early) (api[name] as ((...all: never[]) => void) | undefined)?.(...args);
}

start(document.currentScript);
