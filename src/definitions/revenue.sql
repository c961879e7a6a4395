-- THE definition of what an event with revenue is counted under: its own value of a column, or that of its session's first touch. An event
-- with a sign of where the visitor came from keeps its own columns of that kind, also where one of them is empty.
SELECT /*columns*/
FROM (/*sessions*/) AS s
ARRAY JOIN /*arrays*/
