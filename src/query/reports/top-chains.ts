import { defineTopList } from "./top-list.ts";

export const topChains = defineTopList({ column: "chain_id", list: "v.chains" });
