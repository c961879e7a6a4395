-- The partition catalogue: the current revision of each partition (0: none), the dedupe days that hold its events,
-- whether it is clean, whether its rollups leave bots out, and the `depends_on` of a new revision. An event makes
-- every partition of its dedupe day dirty: of two copies the first received counts, and it may belong to another day.
-- A partition without marks was removed; its revision stays, because later revisions depend on it. A revision from the
-- future was made before the clock was set back, and does not count.
SELECT
    project_id,
    day,
    revision,
    dedupe_days,
    notEmpty(dedupe_days) AS is_there,
    without_bots,
    earlier AS depends_on,
    now_ms,
    min(is_valid)
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS is_clean,
    max(dirty_ms)
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_dirty_ms,
    max(notEmpty(dedupe_days))
        OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS has_begun
FROM
(
    SELECT
        *,
        empty(dedupe_days)
            OR (revision > 0 AND dirty_ms < started_ms AND started_ms <= now_ms AND recorded_depends_on = earlier)
            AS is_valid
    FROM
    (
        SELECT
            *,
            toUnixTimestamp64Milli(now64(3)) AS now_ms,
            groupBitXor(if(revision = 0, 0, cityHash64(day, revision)))
                OVER (PARTITION BY project_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier
        FROM
        (
            SELECT
                toString(project_id) AS project_id,
                day,
                max(number) AS revision,
                max(marked_ms) AS dirty_ms,
                argMax(begun_ms, number) AS started_ms,
                argMax(depends, number) AS recorded_depends_on,
                argMax(leaves_bots_out, number) AS without_bots,
                groupUniqArrayIf(dedupe_day, number = 0) AS dedupe_days
            FROM
            (
                SELECT
                    project_id,
                    day,
                    dedupe_day,
                    toUInt64(0) AS number,
                    max(toUnixTimestamp64Milli(dirty_at)) OVER (PARTITION BY project_id, dedupe_day) AS marked_ms,
                    toInt64(0) AS begun_ms,
                    toUInt64(0) AS depends,
                    toUInt8(0) AS leaves_bots_out
                FROM dirty_partitions
                WHERE {of_projects:Condition}
                UNION ALL
                SELECT
                    project_id, day, day AS dedupe_day, revision, toInt64(0), toUnixTimestamp64Milli(started_at), depends_on,
                    without_bots
                FROM revisions
                WHERE layout = {layout:Expression} AND {of_projects:Condition}
            )
            GROUP BY project_id, day
        )
    )
)
