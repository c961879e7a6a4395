import type { Kysely, Transaction } from "kysely";
import type { ControlEngine } from "../engines/control.ts";
import type { ControlSchema } from "./schema.ts";

/** The capabilities of the store that callers must distinguish. */
export type { Backend } from "../engines/control.ts";

/** The control store as the rest of the code sees it. */
export type ControlStore = ControlEngine<ControlSchema>;
/** Reads outside or inside a transaction. */
export type Reader = Kysely<ControlSchema>;
/** The transaction of a write. */
export type Tx = Transaction<ControlSchema>;
