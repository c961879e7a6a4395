/**
 * Recipients as clients write them, and as subscriptions. Answers hide what opens a target: the last part of the URL of
 * Slack and Discord, and the token of a bot. A client that sends such a value back keeps what is stored.
 */
import { ALERT_LIMITS, type RecipientType } from "../contract/alerts.ts";
import { readTelegramTarget, telegramTarget } from "../webhooks/channels/telegram.ts";
import { HIDDEN, hideUrl } from "../webhooks/hide-url.ts";
import { addressOfTarget, mailRecipient } from "../webhooks/mail-address.ts";
import type { Recipient, StoredRecipient } from "../webhooks/recipients.ts";

export interface GivenRecipient {
  readonly type: RecipientType;
  readonly value: readonly string[];
}

/** What is sent to, and all recipients as answers show them. */
export interface ReadRecipients {
  readonly targets: readonly Recipient[];
  readonly shown: readonly GivenRecipient[];
}

type Fail = (path: string, reason: string) => void;

const TELEGRAM = "https://api.telegram.org";
/** `<bot id>:<token>/<chat>`, as BotFather gives the first and any client the second. */
const BOT_AND_CHAT = /^(\d{1,20}:[\w-]{10,100})\/(@?[\w-]{1,64})$/;

interface One {
  readonly target?: Recipient;
  readonly shown: string;
}

/** `secret` is that of the alert: undefined for the stored one. `known` are the subscriptions that are there. */
export function readRecipients(
  given: readonly GivenRecipient[],
  known: readonly StoredRecipient[],
  secret: string | undefined,
  fail: Fail,
): ReadRecipients {
  const targets = new Map<string, Recipient>();
  const shown = given.map(({ type, value }, at) => ({
    type,
    value: value.map((text, nth) => {
      // Two targets may be hidden alike, and one may be there twice: those without a text yet come first.
      const isTaken = ({ targetUrl }: StoredRecipient) => Number(targets.has(targetUrl));
      const one = readOne(
        type,
        text.trim(),
        known.toSorted((a, b) => isTaken(a) - isTaken(b)),
        secret,
      );
      if (typeof one === "string") fail(`body.recipient.${at}.value.${nth}`, one);
      if (typeof one === "string") return text;
      if (one.target !== undefined) targets.set(one.target.targetUrl, one.target);
      return one.shown;
    }),
  }));
  if (targets.size > ALERT_LIMITS.targets) fail("body.recipient", `has more than ${ALERT_LIMITS.targets} targets`);
  return { targets: [...targets.values()], shown };
}

/** A text is what is wrong with it. */
function readOne(
  type: RecipientType,
  text: string,
  known: readonly StoredRecipient[],
  secret: string | undefined,
): One | string {
  if (type === "email") return readMail(text);
  if (type === "telegram") return readBot(text, known);
  const [channelName, address] = splitSlack(type, text);
  // A channel of Slack without a URL: the hosted service takes it and sends nothing, too.
  if (type === "slack" && address === undefined) return { shown: text };
  const prefix = channelName === "" ? "" : `${channelName}|`;
  return readUrl(type, address ?? text, prefix, known, secret);
}

/** What is no address is kept and not sent to, as in the hosted service. */
function readMail(text: string): One {
  const target = mailRecipient(text);
  return target === undefined ? { shown: text } : { target: { ...target, secret: "" }, shown: text };
}

/** `#channel|https://hooks.slack.com/...`, or the URL alone. */
function splitSlack(type: RecipientType, text: string): [name: string, url: string | undefined] {
  if (type !== "slack") return ["", text];
  const at = text.indexOf("|");
  const url = text.slice(at + 1);
  return [at < 0 ? "" : text.slice(0, at), /^https?:\/\//.test(url) ? url : undefined];
}

function readUrl(
  type: RecipientType,
  text: string,
  prefix: string,
  known: readonly StoredRecipient[],
  secret: string | undefined,
): One | string {
  if (text.includes(HIDDEN)) {
    const stored = known.find(({ targetUrl, channel }) => isHidden(channel) && hideUrl(targetUrl) === text);
    if (stored === undefined) return "hides a part that is not stored: send the whole value";
    return { target: { ...stored, secret: undefined }, shown: `${prefix}${text}` };
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return "must be a URL";
  const channel = channelOf(type, url);
  const target = {
    channel,
    targetUrl: text,
    targetOrigin: url.origin,
    // Only webhooks are signed.
    secret: channel === "alert_webhook" ? secret : "",
  };
  return { target, shown: prefix + (isHidden(channel) ? hideUrl(text) : text) };
}

/** The hosted service knows Slack by its host; a signed JSON would be refused there, and by Discord. */
function channelOf(type: RecipientType, { hostname, pathname }: URL): Recipient["channel"] {
  if (type === "slack" || hostname === "hooks.slack.com") return "slack";
  const isDiscord = /^(?:\w+\.)?discord(?:app)?\.com$/.test(hostname) && pathname.startsWith("/api/webhooks/");
  return type === "discord" || isDiscord ? "discord" : "alert_webhook";
}

/** Whoever knows such a URL may write to the channel, whatever type the client calls it. */
function isHidden(channel: Recipient["channel"]): boolean {
  return channel === "slack" || channel === "discord";
}

/** `<token>/<chat>`, or the URL of a call of a Bot API server. */
function readBot(text: string, known: readonly StoredRecipient[]): One | string {
  if (text.includes(HIDDEN)) {
    const stored = known.find(({ targetUrl, channel }) => channel === "telegram" && showBot(targetUrl) === text);
    if (stored === undefined) return "hides a token that is not stored: send the whole value";
    return { target: { ...stored, secret: undefined }, shown: text };
  }
  const bot = BOT_AND_CHAT.exec(text) ?? readBotUrl(text);
  if (bot === null) return "must be <bot token>/<chat id>";
  const [, token = "", chatId = "", origin = TELEGRAM] = bot;
  const targetUrl = telegramTarget(origin, chatId);
  return { target: { channel: "telegram", targetUrl, targetOrigin: origin, secret: token }, shown: showBot(targetUrl) };
}

function readBotUrl(text: string): readonly string[] | null {
  // Other schemes have no origin.
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return null;
  const { origin, pathname, searchParams } = new URL(text);
  const token = /^\/bot([^/]+)\/sendMessage$/.exec(pathname)?.[1];
  const chatId = searchParams.get("chat_id");
  return token === undefined || chatId === null ? null : [text, token, chatId, origin];
}

function showBot(targetUrl: string): string {
  const { origin, chatId } = readTelegramTarget(targetUrl);
  if (origin === TELEGRAM) return `${HIDDEN}/${chatId}`;
  return `${origin}/bot${HIDDEN}/sendMessage?chat_id=${encodeURIComponent(chatId)}`;
}

/** A target as lists of deliveries show it. */
export function showTarget({ channel, targetUrl }: Pick<StoredRecipient, "channel" | "targetUrl">): string {
  if (channel === "telegram") return showBot(targetUrl);
  if (channel === "email") return addressOfTarget(targetUrl);
  return isHidden(channel) ? hideUrl(targetUrl) : targetUrl;
}

/** The URL whose address is checked before it is stored. */
export function guardedUrl({ channel, targetUrl, targetOrigin }: Recipient): string | undefined {
  if (channel === "email") return undefined;
  return channel === "telegram" ? targetOrigin : targetUrl;
}
