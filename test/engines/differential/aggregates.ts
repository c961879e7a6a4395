/**
 * Aggregates and window functions as templates. Their arguments are expressions over the rows. `{key}` is a key of the
 * groups, so that all rows of a group have the same value, and `{unique}` is different in all rows: without them the
 * answer would depend on the order of rows.
 */
import type { Type } from "./types.ts";

const forEach = (names: readonly string[], template: string) => names.map((name) => template.replace("@", name));

const ANY = [
  ...["any", "any_value", "anyLast", "mode", "anyMerge", "argMinMerge", "argMaxMerge", "argMinIfMerge"],
  "argMaxIfMerge",
];

/** For every type with an order. */
const VALUES = [
  ...["min({T})", "max({T})", "minIf({T}, {bool})", "maxIf({T}, {bool})", "min({T}) FILTER (WHERE {bool})"],
  ...["minMerge({T})", "maxMerge({T})"],
  ...forEach(["argMin", "arg_min", "argMax", "arg_max"], "@({T}, {unique})"),
  ...["argMinIf({T}, {unique}, {bool})", "argMax({T}, {unique}) FILTER (WHERE {bool})"],
  ...forEach(ANY, "@({keyOfT})"),
];

const COUNTS = [
  ...[
    "count()",
    "count(*)",
    "count({any})",
    "countIf({bool})",
    "count(DISTINCT {any})",
    "count() FILTER (WHERE {bool})",
  ],
  ...forEach(["uniq", "uniqExact", "uniqCombined", "uniqHLL12", "countDistinct"], "@({any})"),
  "uniqIf({any}, {bool})",
];

const SPREADS = ["stddevPop", "stddev_pop", "stddevSamp", "stddev_samp", "varPop", "varSamp"];

export const AGGREGATES: Readonly<Record<Type, readonly string[]>> = {
  int: [
    ...COUNTS,
    ...["sum({int})", "sumIf({int}, {bool})", "sum(DISTINCT {int})", "sum({int}) FILTER (WHERE {bool})"],
    ...forEach(["sumOrNull", "sumMerge", "countMerge", "uniqMerge"], "@({int})"),
    ...["quantile_disc({int}, {level})", ...VALUES],
  ],
  float: ["sum({float})", "sumIf({float}, {bool})", "sumOrNull({float})", "quantile_disc({float}, {level})", ...VALUES],
  real: [
    ...[
      "avg({float})",
      "avg({int})",
      "avgOrNull({int})",
      "avgIf({float}, {bool})",
      "avg({float}) FILTER (WHERE {bool})",
    ],
    ...forEach(SPREADS, "@({int})"),
    ...[
      "stddevPopIf({int}, {bool})",
      "corr({int}, {int})",
      "median({int})",
      "median({float})",
      "medianIf({int}, {bool})",
    ],
    ...[
      "quantile({int})",
      "quantileExact({float})",
      "quantile({level})({float})",
      "quantileIf({level})({int}, {bool})",
    ],
    "quantile_cont({float}, {level})",
  ],
  text: VALUES,
  bool: forEach(ANY, "@({keyOfT})"),
  date: VALUES,
  time: VALUES,
  ints: [
    ...["arraySort(groupArray({int}))", "arraySort(groupUniqArray({int}))", "arraySort(groupArrayIf({int}, {bool}))"],
    ...forEach(["groupUniqArrayMerge", "groupUniqArrayIfMerge"], "arraySort(@({ints}))"),
  ],
  texts: [
    ...[
      "arraySort(groupArray({text}))",
      "arraySort(groupUniqArray({text}))",
      "arraySort(groupUniqArrayIf({text}, {bool}))",
    ],
    "arraySort(groupUniqArrayMerge({texts}))",
  ],
};

/** `{over}` has any order, `{total}` a total one, `{frame}` is empty or a frame for a total order. */
const OF_ROW = [
  ...["lag({T}) OVER ({total})", "lead({T}) OVER ({total})", "lag({T}, 2, {T}) OVER ({total})"],
  ...["lead({T}, 1, {literal}) OVER ({total})", "first_value({T}) OVER ({total}{frame})"],
  ...["last_value({T}) OVER ({total}{frame})", "nth_value({T}, 2) OVER ({total}{frame})"],
];
const OF_FRAME = ["min({T}) OVER ({over})", "max({T}) OVER ({total}{frame})", "max({T}) OVER ({total}{frame})"];

export const WINDOWS: Readonly<Record<Type, readonly string[]>> = {
  int: [
    ...[
      "row_number() OVER ({total})",
      "rank() OVER ({order})",
      "dense_rank() OVER ({order})",
      "ntile(3) OVER ({total})",
    ],
    ...["count() OVER ({over})", "count({any}) OVER ({total}{frame})", "countIf({bool}) OVER ({over})"],
    ...["sum({int}) OVER ({over})", "sum({int}) OVER ({total}{frame})", "sum({int}) OVER ({range})"],
    ...["uniq({text}) OVER ()", "sum({int}) FILTER (WHERE {bool}) OVER ({total}{frame})", ...OF_ROW, ...OF_FRAME],
  ],
  float: ["sum({float}) OVER ({over})", "sum({float}) OVER ({total}{frame})", ...OF_ROW, ...OF_FRAME],
  real: [
    ...["percent_rank() OVER ({order})", "cume_dist() OVER ({order})", "avg({float}) OVER ({total}{frame})"],
    "avg({int}) OVER ({over})",
  ],
  text: [...OF_ROW, ...OF_FRAME],
  bool: [],
  date: [...OF_ROW, ...OF_FRAME],
  time: [...OF_ROW, ...OF_FRAME],
  ints: [],
  texts: [],
};
