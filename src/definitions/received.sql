-- Events of running days that were received since the cut of their project. The furthest cut of all, of which there is an index, finds where they are.
SELECT /*fields*/
FROM events
PREWHERE first < {cut:UInt64}
WHERE project_id IN {running_projects:Array(String)}
    /*cuts{*/
    AND first < /*cut*/
    /*}cuts*/
    /*strays{*/
    AND events.day IN {running_key_days:Array(Date)}
    AND (project_id, toDate(timestamp)) IN {running_days:Array(Tuple(String, Date))}
    /*}strays*/
    /*regular{*/
    AND events.day IN {running_dates:Array(Date)}
    AND events.day = toDate(timestamp)
    /*uneven{*/
    AND (project_id, events.day) IN {running_days:Array(Tuple(String, Date))}
    /*}uneven*/
    /*}regular*/
