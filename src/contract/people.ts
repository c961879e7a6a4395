/** The field `events` of filters: people by what they have done. */
export const PEOPLE_FIELD = "events";

export const PEOPLE_LIMITS = {
  /** In all conditions of a list together: one read of the events counts them all. */
  behaviours: 10,
  /** Conditions on the events of a behaviour. */
  filters: 10,
  /** Of the base64 text: ten behaviours with a few conditions each take 8,000. */
  chars: 16 * 1024,
  times: 1_000_000,
} as const;

/** The last days, today included, or hours before now. Null: all events, or those between the dates. */
export const PEOPLE_PRESETS = {
  last_24h: { hours: 24 },
  last_7d: { days: 7 },
  last_30d: { days: 30 },
  last_90d: { days: 90 },
  all_time: null,
  custom: null,
} as const;

export const PEOPLE_ABOUT =
  "The field `events` with `eq` chooses people by what they have done: its value is the base64 text of a JSON array of " +
  `at most ${PEOPLE_LIMITS.behaviours} behaviours, \`[{"event":"transaction","operator":"gte","times":2,"preset":` +
  '"last_30d"}]`, all of which must hold. ' +
  `\`event\` is a type of events or the name of a custom one, \`preset\` one of ${Object.keys(PEOPLE_PRESETS).join(", ")} ` +
  "(with `date_from` and `date_to`), and `filters` are conditions on the event.";
