import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { advance, FIRST, type Memory } from "../../src/alerts/metric/advance.ts";
import type { Verdict } from "../../src/alerts/metric/judge.ts";
import { createRandom } from "../../src/demo/random.ts";
import { SEED } from "../../src/lib/testing.ts";

const MINUTE = 60_000;
const EVERY = 5 * MINUTE;

type Seen = Verdict | "error";
interface Rule {
  pending: number;
  coolDownMs: number;
}

const windowAt = (nth: number) => ({ fromMs: nth * EVERY, toMs: (nth + 1) * EVERY });

function follow(rule: Rule, series: readonly Seen[], isQuiet: (nth: number) => boolean = () => false) {
  let memory: Memory = FIRST;
  const states: string[] = [];
  const told: string[] = [];
  series.forEach((verdict, nth) => {
    const step = advance("alrt_1", rule, memory, { verdict, window: windowAt(nth), isQuiet: isQuiet(nth) });
    memory = step.memory;
    states.push(memory.state);
    if (step.notification !== null)
      told.push(`${nth} ${step.notification.change} ${step.notification.firing.sinceMs / EVERY - 1}`);
  });
  return { states, told, memory };
}

/**
 * The definition without a state: leave out what has no verdict; a run of met evaluations fires from its `pending`-th one
 * to its end; a firing is told at its first evaluation that is not within the cool-down of the one told before it, and its
 * end is told if it was told itself.
 */
function define({ pending, coolDownMs }: Rule, series: readonly Seen[]) {
  const decided = series.flatMap((verdict, nth) =>
    verdict === "met" || verdict === "unmet" ? [{ verdict, nth }] : [],
  );
  const runs: { at: number[]; end: number | undefined }[] = [];
  decided.forEach(({ verdict, nth }, place) => {
    if (verdict === "unmet") return;
    if (decided[place - 1]?.verdict !== "met") runs.push({ at: [], end: undefined });
    runs.at(-1)?.at.push(nth);
    const next = decided[place + 1];
    if (next?.verdict === "unmet") Object.assign(runs.at(-1) ?? {}, { end: next.nth });
  });
  const fires = runs.map(({ at, end }) => ({ at: at.slice(pending - 1), end })).filter(({ at }) => at.length > 0);
  const told: string[] = [];
  let toldMs = Number.NEGATIVE_INFINITY;
  for (const { at, end } of fires) {
    const first = at.find((nth) => windowAt(nth).toMs >= toldMs + coolDownMs);
    if (first === undefined) continue;
    toldMs = windowAt(first).toMs;
    told.push(`${first} firing ${at[0]}`);
    if (end !== undefined) told.push(`${end} resolved ${at[0]}`);
  }
  const states = series.map((verdict, nth) => {
    if (verdict === "met") return fires.some(({ at }) => at.includes(nth)) ? "firing" : "pending";
    if (verdict === "unmet") return fires.some(({ end }) => end === nth) ? "resolved" : "ok";
    return verdict;
  });
  return { states, told: told.toSorted(), fires: fires.length };
}

/**
 * The same with times of quiet: recipients know of one firing, or of none. At an evaluation that is not quiet they hear of
 * the firing that lasts, if they know of another or none and the cool-down is over, or that the one they know of is over.
 */
function defineQuiet(rule: Rule, series: readonly Seen[], isQuiet: (nth: number) => boolean) {
  const { states } = define(rule, series);
  const told: string[] = [];
  let [known, toldMs]: [number | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  let since: number | undefined;
  series.forEach((verdict, nth) => {
    if (verdict !== "met" && verdict !== "unmet") return;
    since = states[nth] === "firing" ? (since ?? nth) : undefined;
    if (isQuiet(nth)) return;
    if (verdict === "unmet" && known !== undefined) {
      told.push(`${nth} resolved ${known}`);
      known = undefined;
    }
    if (since === undefined || since === known || windowAt(nth).toMs < toldMs + rule.coolDownMs) return;
    told.push(`${nth} firing ${since}`);
    [known, toldMs] = [since, windowAt(nth).toMs];
  });
  return { states, told };
}

const KINDS: readonly Seen[] = ["met", "met", "met", "unmet", "unmet", "no_data", "learning", "error"];

describe("the state of a metric alert", () => {
  test("is that of the definition in 2,000 generated series, with one notification for each change", () => {
    const random = createRandom(SEED);
    let fired = 0;
    for (let round = 0; round < 2_000; round += 1) {
      const rule = { pending: 1 + random.int(4), coolDownMs: random.int(8) * EVERY };
      const series = Array.from({ length: 1 + random.int(40) }, () => random.pick(KINDS));
      const { states, told } = follow(rule, series);
      const wanted = define(rule, series);
      fired += wanted.fires;
      const about = `seed ${SEED}, round ${round}, ${JSON.stringify({ rule, series })}`;
      assert.deepEqual(states, wanted.states, about);
      assert.deepEqual(told.toSorted(), wanted.told, about);
    }
    assert.ok(fired > 1_000, `${fired} firings`);
  });

  test("with times of quiet tells what is different from what was told last, in 2,000 generated series", () => {
    const random = createRandom(SEED);
    let resolved = 0;
    for (let round = 0; round < 2_000; round += 1) {
      const rule = { pending: 1 + random.int(3), coolDownMs: random.int(5) * EVERY };
      const series = Array.from({ length: 1 + random.int(40) }, () => random.pick(KINDS));
      let isOn = false;
      const quiet = series.map(() => {
        if (random.chance(0.2)) isOn = !isOn;
        return isOn;
      });
      const { states, told } = follow(rule, series, (nth) => quiet[nth] ?? false);
      const wanted = defineQuiet(rule, series, (nth) => quiet[nth] ?? false);
      const about = `seed ${SEED}, round ${round}, ${JSON.stringify({ rule, series, quiet })}`;
      assert.deepEqual({ states, told }, wanted, about);
      resolved += told.filter((text) => text.includes("resolved")).length;
    }
    assert.ok(resolved > 500, `${resolved} ends were told`);
  });

  test("a firing that began in the quiet and lasts is told once after it, and one that is over never", () => {
    const rule = { pending: 1, coolDownMs: 0 };
    const during = (from: number, to: number) => (nth: number) => nth >= from && nth < to;
    assert.deepEqual(follow(rule, ["unmet", "met", "met", "met", "unmet"], during(1, 3)).told, [
      "3 firing 1",
      "4 resolved 1",
    ]);
    assert.deepEqual(follow(rule, ["unmet", "met", "unmet", "unmet"], during(1, 3)).told, []);
    assert.deepEqual(follow(rule, ["met", "unmet", "unmet", "unmet"], during(1, 2)).told, [
      "0 firing 0",
      "2 resolved 0",
    ]);
  });

  test("goes from ok over pending and firing to resolved", () => {
    const { states, told } = follow({ pending: 2, coolDownMs: 0 }, ["unmet", "met", "met", "met", "unmet", "unmet"]);
    assert.deepEqual(states, ["ok", "pending", "firing", "firing", "resolved", "ok"]);
    assert.deepEqual(told, ["2 firing 2", "4 resolved 2"]);
  });

  test("an evaluation that is repeated from the same memory gives the same ids", () => {
    const rule = { pending: 1, coolDownMs: 0 };
    const once = advance("alrt_1", rule, FIRST, { verdict: "met", window: windowAt(3) });
    assert.deepEqual(advance("alrt_1", rule, FIRST, { verdict: "met", window: windowAt(3) }), once);
    const other = advance("alrt_2", rule, FIRST, { verdict: "met", window: windowAt(3) });
    assert.notEqual(other.notification?.firing.id, once.notification?.firing.id);
    assert.match(once.notification?.firing.id ?? "", /^frg_[0-9a-f]{32}$/);
  });

  test("a firing that outlasts the cool-down is told then, and one that does not is never told", () => {
    const rule = { pending: 1, coolDownMs: 4 * EVERY };
    const short = follow(rule, ["met", "unmet", "met", "unmet", "unmet", "unmet"]);
    assert.deepEqual(short.told, ["0 firing 0", "1 resolved 0"]);
    const long = follow(rule, ["met", "unmet", "met", "met", "met", "met", "unmet"]);
    assert.deepEqual(long.told, ["0 firing 0", "1 resolved 0", "4 firing 2", "6 resolved 2"]);
  });
});
