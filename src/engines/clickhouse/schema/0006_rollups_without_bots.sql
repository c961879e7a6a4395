-- 1: the rollups of the revision leave out the sessions of bots. Its sessions are always all. The number of events that
-- were left out is in the dimension 'left out'.
ALTER TABLE revisions ADD COLUMN IF NOT EXISTS without_bots UInt8;
