/** A scheduled report while it is edited: what its fields hold, and what is saved of them. */
import type { Schedule, ScheduleDraft } from "../../api/schedules.ts";
import { newTarget, type Target } from "../../ui/telling/targets.ts";

export type ScheduleTarget = Target<"email" | "slack">;

export interface Draft {
  title: string;
  /** Empty: the figures of the project. */
  board: string;
  every: "week" | "month";
  weekday: number;
  hour: number;
  timezone: string;
  targets: readonly ScheduleTarget[];
}

/** A new one is in the zone of the project, whose days it is about. */
export function draftOf(schedule: Schedule | undefined, given: { board: string; timezone: string }): Draft {
  if (schedule === undefined)
    return { title: "", ...given, every: "week", weekday: 1, hour: 8, targets: [newTarget("email")] };
  return {
    title: schedule.title,
    board: schedule.board_id ?? "",
    every: schedule.every === "month" ? "month" : "week",
    weekday: schedule.weekday,
    hour: schedule.hour,
    timezone: schedule.timezone,
    targets: schedule.recipients.map(({ type, value }) => newTarget(type === "slack" ? "slack" : "email", value)),
  };
}

export function savedOf({ title, board, targets, ...rhythm }: Draft): ScheduleDraft {
  const recipients = targets.map(({ type, value }) => ({ type, value: value.trim() }));
  return {
    ...rhythm,
    title: title.trim(),
    board_id: board === "" ? null : board,
    timezone: rhythm.timezone.trim(),
    recipients: recipients.filter(({ value }) => value !== ""),
  };
}
