/**
 * A log line of the service for people: time, level, text and the rest; the stack of an error on lines of its own.
 * Written by hand: pino-pretty would bring nine packages into every install for these lines.
 */
import { styleText } from "node:util";

interface Line {
  level: number;
  time: string;
  msg?: string;
  err?: { stack?: string; message?: string };
  [field: string]: unknown;
}

const LEVELS = [
  { from: 50, name: "ERROR", style: "red" },
  { from: 40, name: "WARN", style: "yellow" },
  { from: 30, name: "INFO", style: "green" },
  { from: 0, name: "DEBUG", style: "dim" },
] as const;

/** Every line that is none of the log is returned as it is. */
export function toReadable(text: string): string {
  const line = findLine(text);
  if (line === undefined) return text;
  const { level, time, msg = "", err, requestId: _, server: _server, ...rest } = line;
  const { name, style } = LEVELS.find(({ from }) => level >= from) ?? LEVELS[3];
  const facts = Object.entries(rest).map(([field, value]) => `${field}=${JSON.stringify(value)}`);
  const first = [styleText("dim", time.slice(11, 19)), styleText(style, name), msg, ...facts].join(" ");
  return err === undefined ? first : `${first}\n${err.stack ?? err.message ?? ""}`;
}

function findLine(text: string): Line | undefined {
  if (!text.startsWith('{"level":')) return undefined;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}
