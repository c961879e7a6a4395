-- `status` is that of a signature or transaction in its properties, otherwise empty. Events stored before have no value
-- of their own: ClickHouse computes it when it reads them, until it merges their parts.
ALTER TABLE events_rows ADD COLUMN IF NOT EXISTS status LowCardinality(String)
    DEFAULT if(type IN ('signature', 'transaction'), JSONExtractString(properties, 'status'), '');

CREATE OR REPLACE VIEW events AS
SELECT
    project_id, day, timestamp, session, visitor, dedupe_day, dedupe_key, message_id, received_at, original_after_ms, sent_after_ms,
    channel, type, event, version, anonymous_id, user_id, address, address_spelt, session_id, origin, pathname, referrer, referrer_url, ref,
    utm_source, utm_medium, utm_campaign, utm_term, utm_content, device, browser, os, location, rdns, provider_name, chain_id, builder_codes,
    volume, revenue, points, acquisition, has_touch, context, properties, extra, paid_source, status
FROM events_rows FINAL;
