import { useEffect, useState } from "react";
import { type Day, toDay } from "../format/days.ts";
import { wallNow } from "../format/zone.ts";

/** A page that nobody touches sees the new day after so long at most. */
const LOOK_MS = 15_000;

/** The day of now, in the zone of the project, also on a page that is open over midnight. */
export function useToday(): Day {
  const [, draw] = useState(() => toDay(wallNow()));
  useEffect(() => {
    const timer = setInterval(() => draw(toDay(wallNow())), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  // Not what was seen last: the zone may be another one since.
  return toDay(wallNow());
}
