import { defineTopTouch } from "./top-touch.ts";

export const topLocations = defineTopTouch({ columns: ["location"], defaultColumn: "location" });
