/**
 * Writes src/map/world.json: the outline of every country as an SVG path, from Natural Earth's 50m map. The 110m map has
 * no Singapore, Hong Kong, Malta, Bahrain, Cayman or British Virgin Islands. Projected and simplified here, the page
 * needs neither the map's format nor a projection: 31 kB instead of 270 kB (gz). `npm run map -w dashboard`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { geoNaturalEarth1, geoPath } from "d3-geo";
import { iso31661NumericToAlpha2 } from "iso-3166";
import { feature } from "topojson-client";
import { presimplify, simplify, sphericalTriangleArea } from "topojson-simplify";

const WIDTH = 1000;
/** The area in steradians that a corner must cut off to be kept: about a third of a square pixel at full width. */
const LEAST_CORNER = 1e-5;
/** Rings that cover fewer square pixels are left out; a country that has no other is a dot. */
const LEAST_RING = 2;
const ANTARCTICA = "AQ";
/** Named, but without a number of their own in ISO 3166. */
const UNNUMBERED: Readonly<Record<string, string>> = { Kosovo: "XK" };
/** The picture is cut in the Bering Strait, so that neither Russia nor the islands of Alaska are in two pieces. */
const ROTATION: [number, number] = [-11, 0];

type Point = [number, number];

const topology = JSON.parse(readFileSync(new URL(import.meta.resolve("world-atlas/countries-50m.json")), "utf8"));
const simplified = simplify(presimplify(topology, sphericalTriangleArea), LEAST_CORNER);
const whole = countriesOf(topology);
const projection = geoNaturalEarth1()
  .rotate(ROTATION)
  .fitWidth(WIDTH, { type: "FeatureCollection", features: whole.map(({ shape }) => shape) });
const path = geoPath(projection).digits(1);

const paths: Record<string, string> = {};
const dots: Record<string, Point> = {};
let height = 0;
for (const { code, shape } of countriesOf(simplified)) {
  const drawn = ringsOf(path(shape) ?? "").filter((ring) => ring.length > 2 && Math.abs(areaOf(ring)) >= LEAST_RING);
  height = Math.max(height, ...drawn.flat().map(([, y]) => y));
  if (drawn.length > 0) paths[code] = (paths[code] ?? "") + drawn.map(pathOf).join("");
}
for (const { code, shape } of whole) {
  if (paths[code] === undefined) dots[code] ??= path.centroid(shape).map(tenths) as Point;
}
const sorted = (from: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(from).sort(([one], [other]) => (one < other ? -1 : 1)));
const world = { width: WIDTH, height: Math.ceil(height), paths: sorted(paths), dots: sorted(dots) };
const text = JSON.stringify(world).replaceAll(/("[A-Z]{2}":)/g, "\n    $1");
writeFileSync(new URL("../src/map/world.json", import.meta.url), `${text}\n`);
process.stdout.write(`${Object.keys(paths).length} outlines, ${Object.keys(dots).length} dots\n`);

function countriesOf(from: typeof topology) {
  const found = [];
  for (const shape of feature(from, from.objects.countries).features) {
    const code = iso31661NumericToAlpha2[String(shape.id).padStart(3, "0")] ?? UNNUMBERED[shape.properties.name];
    if (code !== undefined && code !== ANTARCTICA && shape.geometry !== null) found.push({ code, shape });
  }
  return found;
}

/** The rings of a path of `M x,y L x,y ... Z`. */
function ringsOf(drawn: string): Point[][] {
  const rings = drawn.split("M").slice(1);
  return rings.map((ring) =>
    ring
      .replace("Z", "")
      .split("L")
      .map((point) => point.split(",").map(Number) as Point),
  );
}

function areaOf(ring: Point[]): number {
  return ring.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = ring[(index + 1) % ring.length] ?? [0, 0];
    return sum + (x * nextY - nextX * y) / 2;
  }, 0);
}

/** Relative steps: half the text of absolute points. */
function pathOf(ring: Point[]): string {
  let [atX, atY] = ring[0] ?? [0, 0];
  const steps = ring.slice(1).map(([x, y]) => {
    const step = `${short(x - atX)},${short(y - atY)}`;
    [atX, atY] = [x, y];
    return step;
  });
  return `M${short(ring[0]?.[0] ?? 0)},${short(ring[0]?.[1] ?? 0)}l${steps.join(" ")}z`;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

function short(value: number): string {
  return String(tenths(value)).replace(/^(-?)0\./, "$1.");
}
