-- The rollups of a project are made of all sessions, or of those of people alone: `without_bots` says which. A report
-- that asks for the others reads sessions. The table is made again instead of altered: a rebuild makes a dropped table
-- from the newest CREATE TABLE.
CREATE TEMP TABLE former_state AS SELECT * FROM rollup_state;
DROP TABLE rollup_state;

-- Which partitions of a project are clean. The rollups of partitions up to `clean_through` include all stored events of
-- the sessions that they are made of (1969-12-31: no partition is clean). Later partitions are dirty, and reports read
-- them from `sessions`. `seen_before` of a partition depends on all earlier partitions and on no later one, so that the
-- clean ones are always a prefix: a late event makes its own partition and all later ones dirty, and removes their
-- rollups, in its own transaction. Retention has removed the partitions before `removed_before`: a visitor last seen
-- there is new to a window that begins earlier. `dirty_at` is the arrival of the last late event, `dirty_since` that of
-- the first one that made the current partitions dirty.
--
-- Rollups without bots have one dimension more: 'left out', with the device as value and as hits the number of events
-- in such sessions.
CREATE TABLE rollup_state
(
    project_id VARCHAR PRIMARY KEY,
    clean_through DATE NOT NULL,
    removed_before DATE NOT NULL,
    dirty_at TIMESTAMP_MS NOT NULL,
    dirty_since TIMESTAMP_MS NOT NULL,
    without_bots BOOLEAN NOT NULL
);
INSERT INTO rollup_state
SELECT project_id, clean_through, removed_before, dirty_at, dirty_since, false FROM former_state;
DROP TABLE former_state;
