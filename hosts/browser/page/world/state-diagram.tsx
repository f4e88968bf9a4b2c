// The containers' state diagram. Each container is a token that moves with its state.

import { useMemo } from "preact/hooks";
import type { ContainerView, Rule } from "../../../timeline/index.js";
import { useSession } from "../context.js";
import { layOut, type StateNode } from "./diagram-layout.js";
import { changeOf } from "./lit.js";

export interface StateDiagramProps {
  rules: readonly Rule[];
  containers: readonly ContainerView[];
}

const MOST_TOKENS = 5;
/** How many characters fit between two adjacent states. */
const MOST_CHARACTERS = 9;

export function StateDiagram({ rules, containers }: StateDiagramProps) {
  const session = useSession();
  const diagram = useMemo(() => layOut(rules), [rules]);
  const moved = session.lit.value?.notes.flatMap((note) => (note.tag === "moved" ? [note.val.rule] : [])) ?? [];
  return (
    <figure class="diagram">
      <svg
        width={diagram.width}
        height={diagram.height}
        viewBox={`${diagram.left} 0 ${diagram.width} ${diagram.height}`}
        role="img"
        aria-label={described(containers)}
      >
        <defs>
          <marker
            id="tip"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto-start-reverse"
          >
            <path d="M0 0.5 8 4 0 7.5Z" fill="context-stroke" />
          </marker>
        </defs>
        {diagram.arrows.map(({ rule, path }) => (
          <path
            key={`${rule.from}-${rule.cause}-${rule.to}`}
            class="arrow"
            d={path}
            marker-end="url(#tip)"
            data-lit={moved.some((one) => same(one, rule))}
          >
            <title>
              {rule.from} –{rule.cause}→ {rule.to}
            </title>
          </path>
        ))}
        {Array.from(diagram.nodes.values(), (node) => (
          <State key={node.state} node={node} occupied={containers.some((one) => one.status === node.state)} />
        ))}
        {containers.map((container) => {
          const node = diagram.nodes.get(container.status);
          return node && <Token key={container.id} container={container} node={node} peers={containers} />;
        })}
      </svg>
      <figcaption class="small clip">
        {moved.map((rule) => `${rule.from} –${rule.cause}→ ${rule.to}`).join(", ")}
      </figcaption>
    </figure>
  );
}

function State({ node, occupied }: { node: StateNode; occupied: boolean }) {
  const { state, x, y, width, height } = node;
  return (
    <g class="state" data-occupied={occupied}>
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx={height / 2} />
      <text x={x} y={y} dy="0.34em" text-anchor="middle">
        {state}
      </text>
    </g>
  );
}

/** A token at the right edge of its state, next to others in the same state. The last one carries the label. */
function Token({
  container,
  node,
  peers,
}: {
  container: ContainerView;
  node: StateNode;
  peers: readonly ContainerView[];
}) {
  const session = useSession();
  const here = peers.filter((one) => one.status === container.status);
  const place = here.indexOf(container);
  const last = Math.min(here.length, MOST_TOKENS) - 1;
  const x = node.x + node.width / 2 + Math.min(place, last) * 11;
  const change = changeOf(session, "container", container.id);
  return (
    <g class="token" style={{ transform: `translate(${x}px, ${node.y}px)` }} data-lit={change !== null}>
      <circle r="6" />
      {place === last && (
        <text x={10} dy="0.34em">
          {labelOf(here)}
        </text>
      )}
      <title>{`${container.name}: ${container.status}`}</title>
    </g>
  );
}

/** One container is named; for several there is only room for their number. */
function labelOf(containers: readonly ContainerView[]): string {
  if (containers.length > 1) return `×${containers.length}`;
  const name = containers[0]?.name ?? "";
  return name.length > MOST_CHARACTERS ? `${name.slice(0, MOST_CHARACTERS - 1)}…` : name;
}

function described(containers: readonly ContainerView[]): string {
  const each = containers.map((one) => `${one.name} is ${one.status}`);
  return `State diagram of containers. ${each.join(", ") || "There are no containers."}`;
}

function same(a: Rule, b: Rule): boolean {
  return a.from === b.from && a.cause === b.cause && a.to === b.to;
}
