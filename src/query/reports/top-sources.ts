import { SOURCE_COLUMNS } from "../../contract/metric-columns.ts";
import { defineTopTouch } from "./top-touch.ts";

export const topSources = defineTopTouch({ columns: SOURCE_COLUMNS, defaultColumn: "referrer" });
