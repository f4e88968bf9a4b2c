// Networks for other questions: the same ones on each engine.
import type { Json } from "../../tests/support/engine-client.js";
import type { RunningEngine } from "../../tests/support/engines.js";

/** Makes some on each engine, and removes them when `act` is done. `more`: for the create request. */
export async function withNetworks<T>(
  engines: readonly RunningEngine[],
  count: number,
  act: (names: readonly string[]) => Promise<T>,
  more: Json = {},
): Promise<T> {
  const names = Array.from({ length: count }, (_, at) => `bench-${at}`);
  try {
    for (const engine of engines) {
      for (const Name of names) await engine.must(201, "POST", "/networks/create", { Name, ...more });
    }
    return await act(names);
  } finally {
    for (const engine of engines) {
      for (const name of names) await engine.call("DELETE", `/networks/${name}`);
    }
  }
}
