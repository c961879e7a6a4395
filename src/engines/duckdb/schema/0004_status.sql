-- `status` is that of a signature or transaction in its properties, otherwise empty. Funnels and flows read it: of their
-- time, a third went into reading the properties of every event in the window.
ALTER TABLE events ADD COLUMN status VARCHAR DEFAULT '';
ALTER TABLE events ALTER COLUMN status SET NOT NULL;

-- Days of events that were stored without it. The start fills them (status.ts) before anything reads events. One UPDATE
-- of all days would hold their rows in memory. ALTER ... USING would not, but its functions do not exist yet when DuckDB
-- repeats it from the write-ahead log, and the file could not be opened after a crash.
CREATE TABLE days_without_status
(
    day DATE NOT NULL
);
INSERT INTO days_without_status SELECT DISTINCT day FROM events WHERE type IN ('signature', 'transaction');
