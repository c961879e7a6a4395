import { type Logger, pino } from "pino";
import type { Config } from "../installation/config.ts";

export type ServiceLog = Logger;

/** JSON lines on standard error; standard output is for the banner. */
export function createLog(config: Config): ServiceLog {
  return pino({ level: config.LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
