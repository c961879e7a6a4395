-- The events of all sessions that got some since the cut (delta.sql): of kind 1 those they have now, of kind 2 those they had before.
FROM
(
    SELECT /*named*/, kind
    FROM (SELECT arrayJoin(known) AS one, arrayJoin(/*kinds*/) AS kind)
    WHERE one./*own*/ AND session IN delta./*session*/
    UNION ALL
    SELECT /*named*/, 1 AS kind
    FROM (SELECT arrayJoin(delta) AS one)
    WHERE key NOT IN known./*key_nth*/
        /*strays{*/
        AND key NOT IN elsewhere
        /*}strays*/
) AS events
WHERE true
