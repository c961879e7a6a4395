-- Events received since the cut of their project, each message once. The furthest cut of all, of which there is an index, finds where they are. Copies of one may be of several days, so nothing is left out by the day before that.
SELECT /*fields*/, /*key*/ AS key
FROM events
PREWHERE first < {cut:UInt64}
WHERE project_id IN {running_projects:Array(String)} AND events.day IN {running_key_days:Array(Date)} AND first < /*cut*/
ORDER BY first DESC
LIMIT 1 BY key
