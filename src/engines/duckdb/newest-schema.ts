/** For clients, which must not load the engine itself to know it. */
import { readdirSync } from "node:fs";

export const NEWEST_SCHEMA = readdirSync(new URL("./schema/", import.meta.url)).filter((name) =>
  name.endsWith(".sql"),
).length;
