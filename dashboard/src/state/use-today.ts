import { useEffect, useState } from "react";
import { type Day, toDay } from "../format/days.ts";

/** A page that nobody touches sees the new day after so long at most. */
const LOOK_MS = 15_000;

/** The day of now, in UTC, also on a page that is open over midnight. */
export function useToday(): Day {
  const [today, setToday] = useState(() => toDay(Date.now()));
  useEffect(() => {
    const timer = setInterval(() => setToday(toDay(Date.now())), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return today;
}
