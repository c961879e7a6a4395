const TEXTS = `
  channel type event version anonymous_id user_id address address_spelt session_id origin pathname
  referrer referrer_url ref utm_source utm_medium utm_campaign utm_term utm_content
  device browser os location rdns provider_name chain_id builder_codes acquisition context properties extra paid_source`;
const NUMBERS = "received_at original_after_ms sent_after_ms volume revenue points has_touch";

const fill = (names: string, value: "" | 0) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, value] as const);

/** A row of `events` as it is exported, with empty texts and zeros. Its key and time are missing. */
export const BLANK_ROW: Readonly<Record<string, "" | 0>> = Object.fromEntries([
  ...fill(TEXTS, ""),
  ...fill(NUMBERS, 0),
]);
