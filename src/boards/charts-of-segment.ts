/** The charts that name a segment: they would fail without it. */
import type { Reader } from "../control/store.ts";
import { readSpec } from "./chart.ts";

export async function findChartsOfSegment(
  db: Reader,
  workspaceId: string,
  segmentId: string,
): Promise<{ id: string; title: string }[]> {
  const rows = await db
    .selectFrom("charts")
    .select(["id", "title", "spec"])
    .where("workspace_id", "=", workspaceId)
    // Ids are letters, digits and one underline, which here also matches another character: the spec decides.
    .where("spec", "like", `%${segmentId}%`)
    .orderBy("title")
    .orderBy("id")
    .execute();
  return rows.flatMap(({ id, title, spec }) => {
    const { params, settings } = readSpec(spec);
    const named: readonly unknown[] = [params?.segment, settings?.segment, ...(settings?.segments ?? [])];
    return named.includes(segmentId) ? [{ id, title }] : [];
  });
}
