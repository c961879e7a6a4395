-- The events of a running day that were received before the cut, and all other messages of its key: see day_events.
INSERT INTO day_events (/*columns*/, day, build, snapshot, key, message)
SELECT
    /*columns*/,
    {day:Date},
    {build:UInt64} + indexOf({projects:Array(String)}, project_id),
    {snapshot:UInt64},
    cityHash64(project_id, events.day, cityHash64(message_id)),
    cityHash64(message_id)
FROM events FINAL
WHERE project_id IN {open_projects:Array(String)}
    AND events.day IN {key_days:Array(Date)}
    AND (project_id, events.day) IN {keys:Array(Tuple(String, Date))}
    AND first >= {cut:UInt64}
    AND (toDate(timestamp) = {day:Date} OR events.day = {day:Date})
    AND session % {chunks:UInt32} = {chunk:UInt32}
