-- The events with revenue of one day, as they are now.
INSERT INTO revenue_events (/*columns*/, build)
SELECT /*columns*/, {build:UInt64} + indexOf({projects:Array(String)}, project_id) AS build
FROM (/*live*/)
