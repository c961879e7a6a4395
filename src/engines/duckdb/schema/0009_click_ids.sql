-- `click_id` is the id that an ad network gave the click: `gclid`, `fbclid` and the like. A session has that of its paid
-- source, and a touch that of its session. Events stored before have none, and neither have their sessions and touches.
-- Derived tables are altered as well: a rebuild repeats it after their CREATE TABLE.
ALTER TABLE events ADD COLUMN click_id VARCHAR DEFAULT '';
ALTER TABLE events ALTER COLUMN click_id SET NOT NULL;
ALTER TABLE sessions ADD COLUMN click_id VARCHAR DEFAULT '';
ALTER TABLE sessions ALTER COLUMN click_id SET NOT NULL;
ALTER TABLE profile_touches ADD COLUMN click_id VARCHAR DEFAULT '';
ALTER TABLE profile_touches ALTER COLUMN click_id SET NOT NULL;
ALTER TABLE profile_sums ADD COLUMN first_click_id VARCHAR DEFAULT '';
ALTER TABLE profile_sums ALTER COLUMN first_click_id SET NOT NULL;
ALTER TABLE profile_sums ADD COLUMN last_click_id VARCHAR DEFAULT '';
ALTER TABLE profile_sums ALTER COLUMN last_click_id SET NOT NULL;
