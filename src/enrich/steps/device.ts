import type { Draft, Step } from "../draft.ts";
import type { ContextFields } from "../fields.ts";
import type { Device } from "../row.ts";
import { columnText, LIMIT } from "../text.ts";
import { type Agent, browserName, deviceOf, osName } from "../user-agent.ts";

const NO_AGENT: Agent = { device: "", browser: "", os: "", isBot: false, isBrowser: false };

/** Browsers whose user agent says Chrome and that identify themselves only to scripts in the page. */
const HIDDEN_BROWSERS: ReadonlySet<string> = new Set(["brave", "arc", "vivaldi"]);

const DEVICE_KINDS: Readonly<Record<string, string>> = {
  desktop: "desktop",
  tablet: "tablet",
  mobile: "mobile",
  phone: "mobile",
  handset: "mobile",
  smartphone: "mobile",
  "mobile-ios": "mobile",
  "mobile-android": "mobile",
};

const PHONE_SYSTEMS: ReadonlySet<string> = new Set(["ios", "android"]);
const DESKTOP_SYSTEMS: ReadonlySet<string> = new Set(["windows", "macos", "linux", "chromeos"]);

/** Device, browser and system: from the user agent, else from the client library's own detection. */
export function makePutDevice(readAgent: (userAgent: string) => Agent): Step {
  return function putDevice({ context, row }: Draft): undefined {
    const agent = usableAgent(columnText(context.user_agent, LIMIT.text), row.channel, readAgent);
    const reported = browserName(columnText(context.browser, LIMIT.short));
    row.os = agent.os || osName(columnText(context.os, LIMIT.short) || columnText(context.os_name, LIMIT.short));
    row.browser = HIDDEN_BROWSERS.has(reported) ? reported : agent.browser || (reported === "unknown" ? "" : reported);
    row.device = agent.isBot ? "bot" : agent.device || reportedDevice(context, row.os);
  };
}

/**
 * On the web, a user agent that is not a browser's marks a bot. From an app or a backend it only names an HTTP library:
 * counting those as bots would drop every purchase tracked on a server from the reports.
 */
function usableAgent(text: string, channel: string, readAgent: (userAgent: string) => Agent): Agent {
  if (text === "") return NO_AGENT;
  const agent = readAgent(text);
  return agent.isBrowser || channel === "web" ? agent : NO_AGENT;
}

function reportedDevice(context: ContextFields, os: string): Device {
  const named = columnText(context.device, LIMIT.short) || columnText(context.device_type, LIMIT.short);
  const word = named.toLowerCase();
  const kind = Object.hasOwn(DEVICE_KINDS, word) ? DEVICE_KINDS[word] : undefined;
  if (kind !== undefined) return deviceOf(kind, os, "");
  if (PHONE_SYSTEMS.has(os)) return deviceOf("mobile", os, "");
  return DESKTOP_SYSTEMS.has(os) ? "desktop" : "";
}
