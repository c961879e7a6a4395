import { defineTopList } from "./top-list.ts";

export const topWallets = defineTopList({ column: "rdns", list: "v.rdns_names" });
