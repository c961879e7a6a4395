/** Whom a report goes to. */
import { SCHEDULE_LIMITS } from "../../../../src/contract/schedule-limits.ts";
import { RecipientFields } from "../../ui/telling/recipient-fields.tsx";
import type { ScheduleTarget } from "./draft.ts";

const KINDS = [
  { type: "email", name: "E-mail", example: "ada@example.com" },
  { type: "slack", name: "Slack", example: "the URL of an incoming webhook of Slack" },
] as const;
const LIMITS = { most: SCHEDULE_LIMITS.recipients, chars: SCHEDULE_LIMITS.valueChars };

interface RecipientsProps {
  targets: readonly ScheduleTarget[];
  onChange: (targets: readonly ScheduleTarget[]) => void;
}

export function Recipients({ targets, onChange }: RecipientsProps) {
  return (
    <>
      <p className="note">The owner of a new address is asked first, and gets nothing else until they confirm.</p>
      <RecipientFields<ScheduleTarget["type"]> kinds={KINDS} limits={LIMITS} targets={targets} onChange={onChange} />
    </>
  );
}
