import { sankey, sankeyLinkHorizontal } from "d3-sankey";
import { useMemo, useState } from "react";
import { useWidth } from "../../charts/use-width.ts";
import { full } from "../../format/numbers.ts";
import { type FlowNode, type FlowRow, flowGraph, isNamed, nodeLabel, type Through } from "./flow-data.ts";

interface FlowChartProps {
  rows: readonly FlowRow[];
  through: Through;
  onNode: (node: FlowNode) => void;
}

interface Placed extends FlowNode {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
  value: number;
}

const NODE_WIDTH = 10;
const ROW_HEIGHT = 46;
const LEAST_COLUMN = 170;

/** A Sankey diagram: boxes are pages and events, bands the visitors who went from one to the next. */
export function FlowChart({ rows, through, onNode }: FlowChartProps) {
  const [ref, width] = useWidth<HTMLElement>();
  const [at, setAt] = useState<string>();
  const graph = useMemo(() => flowGraph(rows), [rows]);
  const columns = Math.max(...graph.nodes.map(({ column }) => column)) + 1;
  const most = Math.max(...countByColumn(graph.nodes));
  const height = Math.max(260, most * ROW_HEIGHT + 56);
  const drawn = Math.max(width, columns * LEAST_COLUMN);
  const layout = useMemo(() => {
    if (drawn === 0) return undefined;
    // The last column has room for its names.
    const place = sankey<FlowNode, object>()
      .nodeId((node) => node.id)
      .nodeAlign((node) => node.column)
      .nodeWidth(NODE_WIDTH)
      .nodePadding(26)
      .extent([
        [2, 12],
        [drawn - LEAST_COLUMN + 20, height - 20],
      ]);
    return place({ nodes: graph.nodes.map((node) => ({ ...node })), links: graph.links.map((link) => ({ ...link })) });
  }, [graph, drawn, height]);
  const path = sankeyLinkHorizontal<FlowNode, object>();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section ref={ref} className="flow-chart" aria-label="Flow diagram" tabIndex={0}>
      {layout ? (
        <div className="flow-canvas" style={{ width: drawn, height }}>
          <svg width={drawn} height={height} aria-hidden="true">
            {layout.links.map((link, index) => {
              const [source, target] = [link.source as Placed, link.target as Placed];
              const on = at === undefined || at === source.id || at === target.id;
              return (
                <path
                  // biome-ignore lint/suspicious/noArrayIndexKey: a link is its place in the answer.
                  key={index}
                  className={on ? "flow-link" : "flow-link dim"}
                  d={path(link) ?? ""}
                  strokeWidth={Math.max(1, link.width ?? 1)}
                >
                  <title>{`${nodeLabel(source.name)} → ${nodeLabel(target.name)}: ${full(link.value, "count")}`}</title>
                </path>
              );
            })}
          </svg>
          {(layout.nodes as Placed[]).map((node) => (
            <button
              key={node.id}
              type="button"
              className="flow-node"
              disabled={!isNamed(node)}
              aria-pressed={through.get(node.column) === node.name}
              style={{ left: node.x0, top: node.y0, height: Math.max(4, node.y1 - node.y0) }}
              onPointerEnter={() => setAt(node.id)}
              onPointerLeave={() => setAt(undefined)}
              onFocus={() => setAt(node.id)}
              onBlur={() => setAt(undefined)}
              onClick={() => onNode(node)}
            >
              <span className="flow-name">
                <strong>{nodeLabel(node.name)}</strong>
                <span>
                  {full(node.value, "count")}
                  <span className="hidden"> visitors at step {node.column + 1}. Follow the paths through it.</span>
                </span>
              </span>
            </button>
          ))}
        </div>
      ) : null}
    </section>
  );
}

function countByColumn(nodes: readonly FlowNode[]): number[] {
  const counts: number[] = [];
  for (const { column } of nodes) counts[column] = (counts[column] ?? 0) + 1;
  return counts.filter((count) => count > 0);
}
