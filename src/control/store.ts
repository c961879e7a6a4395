import type { Kysely, Transaction } from "kysely";
import type { ControlEngine } from "../engines/control.ts";
import type { ControlSchema } from "./schema.ts";

/** What the store can do, for who has to ask. */
export type { Backend } from "../engines/control.ts";

/** The control store as the rest of the code knows it. */
export type ControlStore = ControlEngine<ControlSchema>;
/** Where a read may run: outside or inside a transaction. */
export type Reader = Kysely<ControlSchema>;
/** The transaction a write belongs to. */
export type Tx = Transaction<ControlSchema>;
