-- The events with revenue of one day, as they are now.
INSERT INTO revenue_events (/*columns*/, session, build, snapshot)
SELECT
    /*columns*/,
    if({snapshot:UInt64} = 0, 0, each.session),
    {build:UInt64} + indexOf({projects:Array(String)}, project_id),
    {snapshot:UInt64}
FROM (/*live*/) AS each
