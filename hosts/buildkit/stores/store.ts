// How calls name a content store of a session's client (moby/buildkit, session/content).

import type { content } from "../../shared/index.js";

export const SERVICE = "/containerd.services.content.v1.Content";

const STORE = "buildkit-attachable-store-id";

export function storeHeader({ name }: content.ClientStore): Record<string, readonly string[]> {
  return { [STORE]: [name] };
}
