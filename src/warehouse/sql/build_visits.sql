-- Who came under which first touch on one day, by its sessions.
INSERT INTO visits (visitor, project_id, day, build, snapshot, session, touch)
SELECT visitor, project_id, day, build, snapshot, session, [/*touch*/]
FROM sessions
ARRAY JOIN visitors AS visitor
WHERE project_id IN {projects:Array(String)} AND day = {day:Date} AND build > {build:UInt64} AND build <= {build:UInt64} + length({projects:Array(String)})
