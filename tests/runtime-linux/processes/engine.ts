// An engine's processes in a separate program, to be killed.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { programOf } from "../../support/program.js";

export interface Launched {
  container: string;
  pid: number;
  at: string;
}

/** Starts the program, which launches one container per script, one after the other. */
export function startEngine(directory: string, runtime: string, scripts: string[]) {
  const child = spawn(process.execPath, [program(), directory, runtime, ...scripts], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const next = async () => (await lines.next()).value as string;
  return {
    /** Resolves when the first launch begins. */
    async launching(): Promise<void> {
      await next();
    },
    async launched(count: number): Promise<Launched[]> {
      const launched: Launched[] = [];
      while (launched.length < count) {
        const line = await next();
        if (line === undefined) throw new Error("the engine ended");
        if (line.startsWith("{")) launched.push(JSON.parse(line) as Launched);
      }
      return launched;
    },
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

let built: string | undefined;

function program(): string {
  return (built ??= programOf(new URL("engine-main.ts", import.meta.url)));
}
