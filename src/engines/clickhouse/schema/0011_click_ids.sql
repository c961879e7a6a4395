-- `click_id` is the id that an ad network gave the click. The meaning is the same as on DuckDB (schema/ there): events
-- stored before have none.
ALTER TABLE events_rows ADD COLUMN IF NOT EXISTS click_id String CODEC(ZSTD(1));

CREATE OR REPLACE VIEW events AS
SELECT
    project_id, day, timestamp, session, visitor, dedupe_day, dedupe_key, message_id, received_at, original_after_ms, sent_after_ms,
    channel, type, event, version, anonymous_id, user_id, address, address_spelt, session_id, origin, pathname, referrer, referrer_url, ref,
    utm_source, utm_medium, utm_campaign, utm_term, utm_content, device, browser, os, location, rdns, provider_name, chain_id, builder_codes,
    volume, revenue, points, acquisition, has_touch, context, properties, extra, paid_source, status, click_id
FROM events_rows FINAL;

ALTER TABLE session_rows ADD COLUMN IF NOT EXISTS click_id String CODEC(ZSTD(1));

ALTER TABLE profile_touch_rows ADD COLUMN IF NOT EXISTS click_id String CODEC(ZSTD(1));
