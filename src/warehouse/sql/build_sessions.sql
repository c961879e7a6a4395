-- The sessions of one day, as they are now.
INSERT INTO sessions (/*columns*/, build)
SELECT /*columns*/, {build:UInt64} + indexOf({projects:Array(String)}, project_id) AS build
FROM (/*live*/)
