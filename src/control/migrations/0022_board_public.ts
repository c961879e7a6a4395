import type { Transaction } from "kysely";

/** Whether a board is public follows from its links, and ends with the last of them: a flag cannot know that. */
export async function up(tx: Transaction<unknown>): Promise<void> {
  await tx.schema.alterTable("boards").dropColumn("is_public").execute();
}
