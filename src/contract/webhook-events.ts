/** The events that a webhook can subscribe to (contract 6.1). */
export const EVENT_TYPES = ["FORM_SUBMISSION", "FORM_UPDATED"] as const;
export type EventType = (typeof EVENT_TYPES)[number];
