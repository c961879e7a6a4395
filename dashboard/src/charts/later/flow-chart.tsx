import { type SankeyLink, sankey, sankeyLinkHorizontal } from "d3-sankey";
import { useMemo, useState } from "react";
import { full, rate } from "../../format/numbers.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import type { FlowChartProps } from "../drawings.ts";
import { type Exits, exitsByStep, type FlowNode, flowGraph, isNamed, nodeLabel, type Through } from "../flow-data.ts";
import { useWidth } from "../use-width.ts";
import "./flow-chart.css";

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
/** Above the boxes, for who leaves at each step. */
const HEAD_HEIGHT = 26;
const STUB = 16;
const NO_PATH: Through = new Map();

/** A Sankey diagram: boxes are pages and events, bands the visitors who went from one to the next. */
export function FlowChart({ rows, through = NO_PATH, onNode }: FlowChartProps) {
  const [ref, width] = useWidth<HTMLElement>();
  const [at, setAt] = useState<string>();
  const graph = useMemo(() => flowGraph(rows), [rows]);
  const columns = Math.max(...graph.nodes.map(({ column }) => column)) + 1;
  const most = Math.max(...countByColumn(graph.nodes));
  const left = exitsByStep(rows);
  const hasExits = graph.exits.size > 0;
  const top = hasExits ? HEAD_HEIGHT : 0;
  const height = Math.max(260, most * ROW_HEIGHT + 56) + top;
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
        [2, 12 + top],
        [drawn - LEAST_COLUMN + 20, height - 20],
      ]);
    // A box is as high as its visitors are many, also those who leave.
    const nodes = graph.nodes.map((node) => {
      const onward = graph.links.filter(({ source }) => source === node.id).reduce((sum, { value }) => sum + value, 0);
      const exits = graph.exits.get(node.id)?.count;
      return exits === undefined ? { ...node } : { ...node, fixedValue: onward + exits };
    });
    return place({ nodes, links: graph.links.map((link) => ({ ...link })) });
  }, [graph, drawn, height, top]);
  const columnLeft = (column: number) => (layout?.nodes as Placed[] | undefined)?.find((n) => n.column === column)?.x0;
  return (
    <ScrollRegion ref={ref} label="Flow diagram" className="flow-chart">
      {layout ? (
        <div className="flow-canvas" style={{ width: drawn, height }}>
          <svg width={drawn} height={height} aria-hidden="true">
            <Links links={layout.links} at={at} />
            {(layout.nodes as Placed[]).map((node) => {
              const exits = graph.exits.get(node.id);
              const high = exits ? Math.max(1, exits.share * (node.y1 - node.y0)) : 0;
              // Where nobody goes on, the lowest part of a box has no band: a stub that ends.
              return exits ? (
                <rect key={node.id} className="flow-exit" x={node.x1} y={node.y1 - high} width={STUB} height={high} />
              ) : null;
            })}
          </svg>
          {hasExits
            ? left.map(({ count, share }, step) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a step is its place.
                <span key={step} className="flow-left" style={{ left: columnLeft(step) ?? 0 }}>
                  <span className="hidden">Step {step + 1}: </span>
                  {full(count, "count")} left <small>{rate(share)}</small>
                </span>
              ))
            : null}
          {(layout.nodes as Placed[]).map((node) => (
            <NodeButton
              key={node.id}
              node={node}
              isChosen={through.get(node.column) === node.name}
              exits={graph.exits.get(node.id)}
              onAt={setAt}
              onClick={() => onNode?.(node)}
            />
          ))}
        </div>
      ) : null}
    </ScrollRegion>
  );
}

function Links({ links, at }: { links: readonly SankeyLink<FlowNode, object>[]; at: string | undefined }) {
  const path = sankeyLinkHorizontal<FlowNode, object>();
  return (
    <>
      {links.map((link, index) => {
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
    </>
  );
}

interface NodeButtonProps {
  node: Placed;
  isChosen: boolean;
  exits: Exits | undefined;
  onAt: (id: string | undefined) => void;
  onClick: () => void;
}

function NodeButton({ node, isChosen, exits, onAt, onClick }: NodeButtonProps) {
  return (
    <button
      type="button"
      className="flow-node"
      disabled={!isNamed(node)}
      aria-pressed={isChosen}
      style={{ left: node.x0, top: node.y0, height: Math.max(4, node.y1 - node.y0) }}
      onPointerEnter={() => onAt(node.id)}
      onPointerLeave={() => onAt(undefined)}
      onFocus={() => onAt(node.id)}
      onBlur={() => onAt(undefined)}
      onClick={onClick}
    >
      <span className="flow-name">
        <strong>
          <bdi>{nodeLabel(node.name)}</bdi>
        </strong>
        <span>
          {full(node.value, "count")}
          <span className="hidden"> visitors at step {node.column + 1}. Follow the paths through it.</span>
          <ExitText exits={exits} />
        </span>
      </span>
    </button>
  );
}

function ExitText({ exits }: { exits: Exits | undefined }) {
  return exits ? <span className="flow-exit-text"> · {rate(exits.share)} left</span> : null;
}

function countByColumn(nodes: readonly FlowNode[]): number[] {
  const counts: number[] = [];
  for (const { column } of nodes) counts[column] = (counts[column] ?? 0) + 1;
  return counts.filter((count) => count > 0);
}
