-- The events of all sessions that got some since the cut (delta.sql): of kind 1 those they have now, of kind 2 those they had before.
FROM
(
    SELECT one.1 AS key, one.2 AS session, one.3 AS visitor, one.4 AS project_id, /*row*/, kind
    FROM (SELECT arrayJoin(known) AS one, arrayJoin(/*kinds*/) AS kind)
    WHERE one.5 AND session IN delta.2
    UNION ALL
    SELECT one.1 AS key, one.2 AS session, one.3 AS visitor, one.4 AS project_id, /*row*/, 1 AS kind
    FROM (SELECT arrayJoin(delta) AS one)
    WHERE key NOT IN known.1
        /*strays{*/
        AND key NOT IN elsewhere
        /*}strays*/
) AS events
WHERE true
