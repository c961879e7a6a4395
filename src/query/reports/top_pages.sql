-- Pages by their views, or by the sessions that began or ended with them. A page is its origin and path, which rollups and
-- sessions hold as one text: an origin is a host and has no space. top_sources.sql explains how rollups and open sessions
-- are combined.

-- name: dirty
SELECT
    v.project_id AS project_id,
    arrayJoin(v.pages) AS value,
    v.session AS session,
    v.visitor AS visitor,
    v.weight AS weight
FROM open_sessions AS v {v:InScope}
WHERE {v:DirtyWindow}
    AND {bots:Condition}
    AND v.hits > 0

-- name: known
SELECT v.project_id AS project_id, arrayJoin(v.pages) AS value, v.visitor AS visitor
FROM sessions AS v {v:InScope}
WHERE {v:SettledWindow}
    AND {bots:Condition}
    AND v.visitor IN (SELECT visitor FROM dirty WHERE weight != 0)

-- name: dirty_views
SELECT e.project_id AS project_id, concat(e.origin, ' ', e.pathname) AS value, count() AS n_hits
FROM open_events AS e {e:InScope}
WHERE {e:DirtyWindow}
    AND e.type = 'page'
    AND {is_counted:Condition}
GROUP BY e.project_id, value

-- name: pages
SELECT project_id, value, sum(n_hits) AS hits, sum(n_sessions) AS sessions, sum(n_visitors) AS visitors
FROM
(
    SELECT project_id, value, n_hits, n_sessions, n_visitors
    FROM clean
    UNION ALL
    SELECT project_id, value, toInt64(n_hits) AS n_hits, toInt64(0) AS n_sessions, toInt64(0) AS n_visitors
    FROM dirty_views
    UNION ALL
    SELECT project_id, value, toInt64(0) AS n_hits, n_sessions, n_visitors
    FROM dirty_counts
) AS every
GROUP BY project_id, value
HAVING sum(n_sessions) > 0

-- name: clean_ends
SELECT
    r.project_id AS project_id,
    r.value AS value,
    r.hits AS n_hits,
    r.sessions AS n_sessions,
    r.bounces AS n_bounces,
    toInt64(0) AS n_viewers
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = {dimension:String}

-- name: clean_viewers
SELECT
    r.project_id AS project_id,
    r.value AS value,
    toInt64(0) AS n_hits,
    toInt64(0) AS n_sessions,
    toInt64(0) AS n_bounces,
    r.sessions AS n_viewers
FROM rollups AS r {r:InScope}
WHERE {r:CleanDays} AND r.dimension = 'page'

-- name: chosen
-- Sessions that match the filters, one row for each of their visitors.
SELECT
    v.project_id AS project_id,
    v.session AS session,
    {weight:Expression} AS weight,
    v.hits AS hits,
    if(v.is_bounce, 1, 0) AS bounces,
    {end:Expression} AS end_page,
    v.pages AS pages
FROM {from:Relation} AS v {v:InScope}
WHERE {v:KeptWindow}
    AND {bots:Condition}
    AND {session_filter:Condition}
    AND {matched:Condition}

-- name: chosen_ends
-- A session has a page if one of its visitors viewed one.
SELECT
    project_id,
    value,
    toInt64(sum(weight * session_hits)) AS n_hits,
    toInt64(sum(weight)) AS n_sessions,
    toInt64(sum(weight * is_bounce)) AS n_bounces,
    toInt64(0) AS n_viewers
FROM
(
    SELECT project_id, session, weight, max(end_page) AS value, sum(hits) AS session_hits, max(bounces) AS is_bounce
    FROM chosen
    GROUP BY project_id, session, weight
    HAVING sum(hits) > 0
) AS ended
GROUP BY project_id, value

-- name: chosen_viewers
SELECT
    project_id,
    value,
    toInt64(0) AS n_hits,
    toInt64(0) AS n_sessions,
    toInt64(0) AS n_bounces,
    toInt64(uniqExact(if(weight > 0, session, NULL))) - toInt64(uniqExact(if(weight < 0, session, NULL))) AS n_viewers
FROM (SELECT project_id, session, weight, arrayJoin(pages) AS value FROM chosen WHERE hits > 0) AS viewed
GROUP BY project_id, value

-- name: views
-- The views of chosen sessions.
SELECT
    e.project_id AS project_id,
    concat(e.origin, ' ', e.pathname) AS value,
    count() AS hits,
    uniqExact(e.session) AS sessions,
    uniqExact(e.visitor) AS visitors
FROM events AS e
INNER JOIN (SELECT DISTINCT project_id, session FROM chosen) AS c
    ON c.project_id = e.project_id AND c.session = e.session
WHERE {e:Window}
    AND e.type = 'page'
GROUP BY e.project_id, value

-- name: ends
SELECT
    project_id,
    value,
    sum(n_hits) AS hits,
    sum(n_sessions) AS sessions,
    sum(n_bounces) AS bounces,
    sum(n_viewers) AS viewers
FROM
(
    {every:Relation}
) AS every
GROUP BY project_id, value
HAVING sum(n_sessions) > 0

-- name: split
SELECT
    project_id,
    substring(value, 1, position(' ' IN value) - 1) AS origin,
    substring(value, position(' ' IN value) + 1) AS pathname,
    hits,
    sessions,
    {measure:Expression} AS measure
FROM {pages:Relation}

-- name: counts
SELECT project_id, origin, pathname, hits, sessions, measure
FROM split
WHERE {on_page:Condition}
