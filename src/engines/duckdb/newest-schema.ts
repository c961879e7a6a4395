/** In its own file for clients, which must not load DuckDB to know the version. */
import { readdirSync } from "node:fs";

export const NEWEST_SCHEMA = readdirSync(new URL("./schema/", import.meta.url)).filter((name) =>
  name.endsWith(".sql"),
).length;
