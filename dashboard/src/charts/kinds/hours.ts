import { weekdayNames } from "../../format/dates.ts";
import type { HeatTableProps } from "../drawings.ts";
import { type ChartKind, VIEW } from "./kind.ts";

/** A row of the report `heatmap`. Weekdays count from 1, Monday. */
interface HourRow {
  weekday: number;
  hour: number;
  sessions: number;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** When people come: hours of the week in the zone of the project. */
export const HOURS_KIND: ChartKind<HourRow, HeatTableProps, object> = {
  needs: VIEW,
  drawing: (rows) => {
    const found = new Map(rows.map((row) => [`${row.weekday} ${row.hour}`, row.sessions]));
    return {
      label: "Sessions by weekday and hour",
      columns: HOURS.map(String),
      rows: weekdayNames().map((label, index) => ({
        label,
        values: HOURS.map((hour) => found.get(`${index + 1} ${hour}`) ?? 0),
      })),
      format: "count",
    };
  },
  table: (rows) => {
    const days = weekdayNames();
    return {
      columns: [
        { key: "day", label: "Day" },
        { key: "hour", label: "Hour", format: "count" },
        { key: "sessions", label: "Sessions", format: "count" },
      ],
      rows: rows.map((row) => ({ ...row, day: days[row.weekday - 1] })),
    };
  },
  isEmpty: (rows) => rows.every(({ sessions }) => sessions === 0),
  skeleton: "heat-skeleton",
};
