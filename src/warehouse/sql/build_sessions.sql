-- The sessions of one day, as they are now.
INSERT INTO sessions (/*columns*/, e_visitor, session, build, snapshot)
SELECT
    /*columns*/,
    if(length(visitors) = 1, [], each.e_visitor),
    if({snapshot:UInt64} = 0, 0, each.session),
    {build:UInt64} + indexOf({projects:Array(String)}, project_id),
    {snapshot:UInt64}
FROM (/*live*/) AS each
