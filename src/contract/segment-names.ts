/** What pages need of segments as well, apart from the schemas. */
export const SEGMENT_TITLE_CHARS = 120;

/** As many as a chart compares. */
export const MOST_COMPARED = 4;

/** The column of a compared answer with the title of the segment. */
export const SEGMENT_COLUMN = "segment";

/** Two segments may have one title, and are two lines all the same: `Traders`, `Traders (2)`. */
export function tellApart(titles: readonly string[]): string[] {
  const taken = new Set<string>();
  return titles.map((title) => {
    let name = title;
    for (let nth = 2; taken.has(name); nth += 1) name = `${title} (${nth})`;
    taken.add(name);
    return name;
  });
}
