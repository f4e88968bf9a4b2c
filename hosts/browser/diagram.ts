// Lays out the containers' state diagram when the page is built, since the core's rules are known then: the page needs
// no layout engine.

import { join } from "node:path";
import type { Plugin } from "esbuild";
import { Instance } from "../driver/index.js";
import { packageCore } from "../embedding/core.js";
import { layOut } from "./page/world/diagram-layout.js";

/** Replaces the module that lays out by one that holds what it returns for the rules of the built core. */
export function laidOutDiagram(root: string): Plugin {
  return {
    name: "laid out diagram",
    setup: (build) => {
      const path = join(root, "hosts/browser/page/world/diagram-layout.ts");
      build.onLoad({ filter: /diagram-layout\.ts$/ }, (file) =>
        file.path === path ? { contents: written() } : undefined,
      );
    },
  };
}

function written(): string {
  const { nodes, arrows, ...extent } = layOut(new Instance(packageCore()).rules());
  const paths = arrows.map(({ path }) => path);
  return `
const NODES = ${JSON.stringify([...nodes])}, EXTENT = ${JSON.stringify(extent)}, PATHS = ${JSON.stringify(paths)};
export const layOut = (rules) =>
  ({ ...EXTENT, nodes: new Map(NODES), arrows: rules.map((rule, at) => ({ rule, path: PATHS[at] })) });
`;
}
