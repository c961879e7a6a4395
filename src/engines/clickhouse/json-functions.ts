/**
 * The JSON functions of the common SQL, written out for ClickHouse. Its own refuse a whole text because of one number
 * beyond 64 bits or beyond a double: an amount of 23 digits would hide every property of its event. DuckDB gives such
 * numbers as they were sent, and has macros for what differs; here a user without permissions can define no functions.
 *
 * A text that ClickHouse refuses is read with those numbers as strings that begin with a mark, and the mark is taken
 * off what was found. Other texts pay for one more parse, and for none of the regular expressions: `if` is lazy.
 */

/** A character of private use, which JSON need not escape. */
const MARK = "\ue000";

const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const HUGE = "-?[0-9]+(?:[.][0-9]+)?[eE][+]?0*(?:[1-9][0-9]{3,}|[3-9][0-9]{2})|-?[0-9]{300,}[.][0-9]+";
const FLOAT = "-?[0-9]+(?:[.][0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)";
const LONG = "-?[0-9]{19,}";
const NUMBER = "-?[0-9][0-9.eE+-]*";

/** Every string and every number is matched as a whole, so that nothing begins within one. */
const TOKEN = literal(`(${HUGE})|(${STRING}|${FLOAT})|(${LONG})|(-?[0-9]+)`);
const MARKED = literal(String.raw`\2\4"${MARK}\1\3"`);
/** A replacement has no conditions: the tokens that stay are followed by a mark without a number. */
const FOLLOWED = literal(`(${STRING}|${NUMBER})(?:"${MARK}")?`);
const FIRST = literal(String.raw`\1`);
const FOUND = literal(`"?${MARK}(${NUMBER})"?`);

const CALL = /\b(JSONExtractString|JSONExtractKeys)\(([\w.]+)(?:, (\w+|'\w+'|\{\w+:String\}))?\)/g;

export function writeJsonFunctions(sql: string): string {
  return sql.replaceAll(CALL, (_, name: string, json: string, key?: string) => {
    const marked = `replaceRegexpAll(replaceRegexpAll(${json}, ${TOKEN}, ${MARKED}), ${FOLLOWED}, ${FIRST})`;
    if (key === undefined) return `${name}(if(isValidJSON(${json}), ${json}, ${marked}))`;
    const found = `replaceRegexpAll(${name}(${marked}, ${key}), ${FOUND}, ${FIRST})`;
    return `if(isValidJSON(${json}), ${name}(${json}, ${key}), ${found})`;
  });
}

function literal(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll(MARK, "\\xEE\\x80\\x80")}'`;
}
