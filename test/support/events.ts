/** A valid event of the contract with all twelve fields. */
export function sampleEvent(messageId: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  const now = new Date().toISOString();
  return {
    channel: "web",
    type: "page",
    anonymous_id: "visitor-1",
    user_id: "",
    address: "",
    event: "",
    context: JSON.stringify({ page_url: "https://app.example.com/swap?utm_source=google", locale: "en-US" }),
    properties: "{}",
    version: "0",
    original_timestamp: now,
    sent_at: now,
    message_id: messageId,
    ...changes,
  };
}
