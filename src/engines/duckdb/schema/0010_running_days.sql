-- How far the events of a project's running day are rolled up. `rollups` then has rows of that day, although it is dirty:
-- those of events that were received up to `received_to` (events by type and name, views of pages, amounts), and those of
-- the hours before `hours_to`. Reports read later events from `events`, and everything about sessions from `sessions`. A
-- project has one row at most, and none when no event of its running day is rolled up.
CREATE TABLE running_days
(
    project_id VARCHAR PRIMARY KEY,
    day DATE NOT NULL,
    received_to TIMESTAMP_MS NOT NULL,
    hours_to TIMESTAMP_MS NOT NULL,
    without_bots BOOLEAN NOT NULL
);
