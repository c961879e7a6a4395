-- Statements that would take any time or memory. `bounded` means refused, or ended at a limit, or answered within it.

-- name: a cross join of many tables | bounded
SELECT count() FROM events a, events b, events c, events d, events e, events f

-- name: a cross join that sorts | bounded
SELECT a.message_id FROM events a, events b, events c ORDER BY a.message_id DESC, b.message_id

-- name: a cross join that groups by everything | bounded
SELECT a.message_id, b.message_id, c.message_id, count() FROM events a, events b, events c GROUP BY 1, 2, 3

-- name: a cross join into arrays | bounded
SELECT groupArray(a.message_id) FROM events a, events b, events c

-- name: a cross join into distinct values | bounded
SELECT count(DISTINCT (a.message_id, b.message_id, c.message_id)) FROM events a, events b, events c

-- name: a window over a cross join | bounded
SELECT sum(length(a.message_id)) OVER (ORDER BY b.message_id, c.message_id) FROM events a, events b, events c

-- name: a self join on nothing | bounded
SELECT count() FROM events a LEFT JOIN events b ON a.message_id > b.message_id LEFT JOIN events c ON b.message_id > c.message_id

-- name: a correlated subquery in a correlated subquery | bounded
SELECT (SELECT count() FROM events b WHERE b.message_id > a.message_id AND (SELECT count() FROM events c WHERE c.message_id > b.message_id) > 3) FROM events a

-- name: repeat | refused
SELECT repeat('x', 1000000000)

-- name: lpad | refused
SELECT lpad('x', 1000000000, 'y')

-- name: rpad | refused
SELECT rpad('x', 1000000000, 'y')

-- name: range | refused
SELECT length(range(1000000000))

-- name: generate_series | refused
SELECT unnest(generate_series(1, 1000000000))

-- name: array_resize | refused
SELECT list_resize([1], 1000000000)

-- name: format with a width | refused
SELECT format('{:>1000000000}', 'x')

-- name: printf with a width | refused
SELECT printf('%1000000000s', 'x')

-- name: string_agg | refused
SELECT string_agg(properties, '') FROM events

-- name: group_concat | refused
SELECT group_concat(properties) FROM events

-- name: array_to_string | refused
SELECT array_to_string(groupArray(properties), '') FROM events

-- name: arrays joined to arrays | refused
SELECT list_concat(groupArray(event), groupArray(event)) FROM events

-- name: a histogram | refused
SELECT histogram(properties) FROM events

-- name: a factorial | refused
SELECT 100000!

-- name: levenshtein | refused
SELECT levenshtein(properties, context) FROM events

-- name: a pattern of LIKE that backtracks | bounded
SELECT count() FROM events WHERE page_title LIKE '%a%a%a%a%a%a%a%a%_b'

-- name: a pattern of ILIKE that backtracks | bounded
SELECT count() FROM events WHERE page_title ILIKE '%a%a%a%a%a%a%a%a%b'

-- name: a pattern of LIKE from a column | refused
SELECT count() FROM events WHERE page_title LIKE event

-- name: LIKE with an escape | refused
SELECT count() FROM events WHERE page_title LIKE 'a!%' ESCAPE '!'

-- name: GLOB | refused
SELECT count() FROM events WHERE page_title GLOB '*a*a*a*a*b'

-- name: a regular expression that backtracks elsewhere | bounded
SELECT count() FROM events WHERE match(page_title, '^(a+)+(a+)+(a+)+$')

-- name: a regular expression with counted repetitions | refused
SELECT count() FROM events WHERE match(page_title, '((a{1,100}){1,100}){1,100}')

-- name: a regular expression from a column | refused
SELECT count() FROM events WHERE match(page_title, event)

-- name: a regular expression that is wrong | refused
SELECT count() FROM events WHERE match(page_title, '(')

-- name: all matches of a regular expression | refused
SELECT regexp_extract_all(properties, '.') FROM events

-- name: SIMILAR TO | bounded
SELECT count() FROM events WHERE page_title SIMILAR TO '(a|aa)*(a|aa)*b'

-- name: a replacement by a long text | refused
SELECT replace(properties, 'a', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb') FROM events

-- name: a replacement by a column | refused
SELECT replace(properties, 'a', properties) FROM events

-- name: a split of everything | bounded
SELECT splitByChar('a', page_title), splitByString('', page_title) FROM events

-- name: arrays of everything as text | bounded
SELECT toString(groupArray(properties)), toString(groupArray(context)) FROM events

-- name: the largest values of a column | refused
SELECT max(properties, 1000000) FROM events

-- name: the first values of a column | refused
SELECT argMin(properties, timestamp, 1000000) FROM events

-- name: too many grouping sets | refused
SELECT count() FROM events GROUP BY CUBE (event, type, device, browser, os, location, ref)

-- name: a time format with a width | refused
SELECT formatDateTime(timestamp, '%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y%Y') FROM events

-- name: an interval beyond time | refused
SELECT now() + INTERVAL 1000000000 YEAR

-- name: a large number to a large power | bounded
SELECT pow(10, 1000000), 2 ^ 100000

-- name: an ordered limit over everything | bounded
SELECT * FROM events a, events b ORDER BY a.timestamp, b.timestamp LIMIT 100000
