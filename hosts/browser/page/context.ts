// Gives components access to the page's state.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "../session/session.js";
import type { Playground } from "./playground.js";

export const PlaygroundContext = createContext<Playground | null>(null);

export function usePlayground(): Playground {
  const playground = useContext(PlaygroundContext);
  if (playground === null) throw new Error("the component is outside the page");
  return playground;
}

/** The session shown. Renders again when another session replaces it. */
export function useSession(): Session {
  return usePlayground().session.value;
}
