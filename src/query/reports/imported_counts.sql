-- Lists with the sums of days that another product counted. `own_counts` is the list without them.

-- name: values
SELECT project_id, value, sum(n_hits) AS hits, sum(n_sessions) AS sessions, sum(n_visitors) AS visitors
FROM
(
    SELECT
        project_id,
        value,
        toInt64(hits) AS n_hits,
        toInt64(sessions) AS n_sessions,
        toInt64(visitors) AS n_visitors
    FROM own_counts
    UNION ALL
    SELECT
        i.project_id AS project_id,
        i.value AS value,
        toInt64(i.pageviews) AS n_hits,
        toInt64(i.visits) AS n_sessions,
        toInt64(i.visitors) AS n_visitors
    FROM imported_days AS i {i:InScope}
    WHERE {i:KeptWindow}
        AND {imported:Condition}
) AS every
GROUP BY project_id, value

-- name: pages
SELECT
    project_id,
    origin,
    pathname,
    sum(n_hits) AS hits,
    sum(n_sessions) AS sessions,
    sum(n_visitors) AS measure
FROM
(
    SELECT
        project_id,
        origin,
        pathname,
        toInt64(hits) AS n_hits,
        toInt64(sessions) AS n_sessions,
        toInt64(measure) AS n_visitors
    FROM own_counts
    UNION ALL
    SELECT
        i.project_id AS project_id,
        i.value AS origin,
        i.detail AS pathname,
        toInt64(i.pageviews) AS n_hits,
        toInt64(i.visits) AS n_sessions,
        toInt64(i.visitors) AS n_visitors
    FROM imported_days AS i {i:InScope}
    WHERE {i:KeptWindow}
        AND {imported:Condition}
) AS every
GROUP BY project_id, origin, pathname
