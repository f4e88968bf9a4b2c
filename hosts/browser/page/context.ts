// How components reach the page's state.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "../session/session.js";
import type { Playground } from "./playground.js";

export const PlaygroundContext = createContext<Playground | null>(null);

export function usePlayground(): Playground {
  const playground = useContext(PlaygroundContext);
  if (playground === null) throw new Error("the component stands outside of the page");
  return playground;
}

/** The session that is shown; renders again when another takes its place. */
export function useSession(): Session {
  return usePlayground().session.value;
}
