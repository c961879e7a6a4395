/**
 * Writes src/map/world.json: the outline of every country as an SVG path, from Natural Earth's 50m map. The 110m map has
 * no Singapore, Hong Kong, Malta, Bahrain, Cayman or British Virgin Islands. Projected and simplified here, the page
 * needs neither the map's format nor a projection: 40 kB instead of 270 kB (gz).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { geoNaturalEarth1 } from "d3-geo";
import { iso31661NumericToAlpha2 } from "iso-3166";
import { feature } from "topojson-client";
import { presimplify, simplify } from "topojson-simplify";

const WIDTH = 1000;
/** The area in square pixels that a corner must cut off to be kept: a third of a pixel each way at full width. */
const LEAST_AREA = 0.35;
/** Countries whose drawn area is smaller are dots. */
const LEAST_RING = 2;
const LAST_LONGITUDE = 179.99;
const ANTARCTICA = "AQ";
/** Named, but without a number of their own in ISO 3166. */
const UNNUMBERED: Readonly<Record<string, string>> = { Kosovo: "XK" };

type Point = [number, number];

const topology = JSON.parse(readFileSync(new URL(import.meta.resolve("world-atlas/countries-50m.json")), "utf8"));
const shown = { ...topology.objects.countries };
shown.geometries = shown.geometries.filter(
  (one: { properties: { name: string } }) => one.properties.name !== "Antarctica",
);
const projection = geoNaturalEarth1().fitWidth(WIDTH, feature(topology, shown));

// Simplified after the projection, and on shared borders, so that neighbours stay neighbours.
const projected = decode(topology);
const simplified = simplify(presimplify(projected), LEAST_AREA);

const paths: Record<string, string> = {};
const dots: Record<string, Point> = {};
let height = 0;
for (const { code, rings } of countriesOf(simplified)) {
  const drawn = rings.filter((ring) => ring.length > 2 && Math.abs(areaOf(ring)) >= LEAST_RING);
  height = Math.max(height, ...drawn.flat().map(([, y]) => y));
  if (drawn.length > 0) paths[code] = (paths[code] ?? "") + drawn.map(pathOf).join("");
}
// What simplifying left nothing of is a dot at a point of its coast.
for (const { code, rings } of countriesOf(projected)) {
  const point = rings[0]?.[0];
  if (paths[code] === undefined && point) dots[code] ??= point;
}
const sorted = (from: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(from).sort(([a], [b]) => (a < b ? -1 : 1)));
const world = { width: WIDTH, height: Math.ceil(height), paths: sorted(paths), dots: sorted(dots) };
const text = JSON.stringify(world).replaceAll(/("[A-Z]{2}":)/g, "\n    $1");
writeFileSync(new URL("../src/map/world.json", import.meta.url), `${text}\n`);
process.stdout.write(`${Object.keys(paths).length} outlines, ${Object.keys(dots).length} dots\n`);

function countriesOf(from: typeof topology): { code: string; rings: Point[][] }[] {
  const found = [];
  for (const { id, properties, geometry } of feature(from, from.objects.countries).features) {
    const code = iso31661NumericToAlpha2[String(id).padStart(3, "0")] ?? UNNUMBERED[properties.name];
    if (code === undefined || code === ANTARCTICA || geometry === null) continue;
    const polygons: Point[][][] = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
    found.push({ code, rings: polygons.flat().map(rounded) });
  }
  return found;
}

/** Arcs as points of the picture instead of quantized degrees. */
function decode(packed: typeof topology): typeof topology {
  const { scale, translate } = packed.transform;
  const arcs = packed.arcs.map((arc: Point[]) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]) => {
      x += dx;
      y += dy;
      // Exactly 180 degrees would be drawn on the other side of the picture.
      const longitude = Math.max(-LAST_LONGITUDE, Math.min(LAST_LONGITUDE, x * scale[0] + translate[0]));
      return projection([longitude, y * scale[1] + translate[1]]);
    });
  });
  const { transform: _transform, ...rest } = packed;
  return { ...rest, arcs };
}

/** Tenths of a pixel, without points that fall together. */
function rounded(ring: Point[]): Point[] {
  const points = ring.map(([x, y]): Point => [Math.round(x * 10) / 10, Math.round(y * 10) / 10]);
  const distinct = points.filter(
    ([x, y], index) => index === 0 || x !== points[index - 1]?.[0] || y !== points[index - 1]?.[1],
  );
  return distinct.slice(0, -1);
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
    const step = `${tenth(x - atX)},${tenth(y - atY)}`;
    [atX, atY] = [x, y];
    return step;
  });
  return `M${tenth(ring[0]?.[0] ?? 0)},${tenth(ring[0]?.[1] ?? 0)}l${steps.join(" ")}z`;
}

function tenth(value: number): string {
  return String(Math.round(value * 10) / 10).replace(/^(-?)0\./, "$1.");
}
