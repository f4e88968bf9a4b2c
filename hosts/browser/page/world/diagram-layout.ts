// Lays out the states and arrows of the diagram, from the core's own rule table.

import { Graph, layout } from "@dagrejs/dagre";
import type { Rule } from "../../../timeline/index.js";

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface StateNode extends Point {
  readonly state: string;
  readonly width: number;
  readonly height: number;
}

export interface Arrow {
  readonly rule: Rule;
  /** An SVG path. */
  readonly path: string;
}

export interface Diagram {
  readonly left: number;
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, StateNode>;
  readonly arrows: readonly Arrow[];
}

const HEIGHT = 26;
const CHARACTER = 7.6;
const PADDING = 22;
const MARGIN = 4;
/** Room for names to the right of the last state. */
const NAMES = 84;

export function layOut(rules: readonly Rule[]): Diagram {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 76, ranksep: 20, edgesep: 12, marginx: 0, marginy: MARGIN });
  const states = [...new Set(rules.flatMap((rule) => [rule.from, rule.to]))];
  for (const state of states) graph.setNode(state, { width: state.length * CHARACTER + PADDING, height: HEIGHT });
  for (const rule of rules) graph.setEdge(rule.from, rule.to, {}, rule.cause);
  layout(graph);
  const nodes = states.map((state): StateNode => ({ ...(graph.node(state) as StateNode), state }));
  const lines = rules.map(({ from, to, cause }) => (graph.edge(from, to, cause) as { points: Point[] }).points);
  return {
    ...extentOf(nodes, lines),
    nodes: new Map(nodes.map((node) => [node.state, node])),
    arrows: rules.map((rule, at) => ({ rule, path: pathThrough(lines[at]!) })),
  };
}

/** Arrows back go around the states, outside the size that the graph reports. */
function extentOf(nodes: readonly StateNode[], lines: readonly Point[][]): Pick<Diagram, "left" | "width" | "height"> {
  const edges = nodes.flatMap(({ x, width }) => [x - width / 2, x + width / 2]);
  const across = [...edges, ...lines.flat().map((point) => point.x)];
  const down = [...nodes.map(({ y, height }) => y + height / 2), ...lines.flat().map((point) => point.y)];
  const left = Math.min(...across) - MARGIN;
  return { left, width: Math.max(...across) + NAMES - left, height: Math.max(...down) + MARGIN };
}

/** A smooth line: each bend is the control point of a curve between the midpoints of its neighbours. */
function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (first === undefined || last === undefined) return "";
  const curves = rest.map((point, at) => {
    const next = rest[at + 1];
    const end = next === undefined ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q${point.x} ${point.y} ${end.x} ${end.y}`;
  });
  return `M${first.x} ${first.y}${curves.join("")}`;
}
