-- A running day is rolled up beside the writer: only what comes of it is written in its queue. Before the first read a
-- transaction says how far it is to go, `rolling_to` for what was received and `rolling_hours_to` for hours. From then on
-- the rows of sessions that are to be rolled up are kept when they are replaced, as the rows of those that are. So
-- `replaced_sessions` has the time of receipt of each row: `rollups` has those up to `received_to` of their day. An event
-- that comes too late for what is being rolled up moves the hours back, or removes the row of its project. What is rolled
-- up of running days is made again.
DELETE FROM rollups WHERE (project_id, day) IN (SELECT project_id, day FROM running_days);
DELETE FROM replaced_sessions;
ALTER TABLE replaced_sessions ADD COLUMN received_to TIMESTAMP_MS;
ALTER TABLE replaced_sessions ALTER COLUMN received_to SET NOT NULL;

DROP TABLE running_days;
CREATE TABLE running_days
(
    project_id VARCHAR PRIMARY KEY,
    day DATE NOT NULL,
    received_to TIMESTAMP_MS NOT NULL,
    hours_to TIMESTAMP_MS NOT NULL,
    without_bots BOOLEAN NOT NULL,
    rolling_to TIMESTAMP_MS NOT NULL,
    rolling_hours_to TIMESTAMP_MS NOT NULL
);
