// The objects that requests refer to. They are recreated whenever a request has changed or removed one.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunningEngine } from "../engines.js";
import { busyboxArchive } from "../archives/images.js";
import type { FuzzRequest } from "./requests.js";

interface Listed {
  readonly Id: string;
  readonly Names: readonly string[];
  readonly State: string;
}

const STATES: Readonly<Record<string, string>> = {
  "fuzz-running": "running",
  "fuzz-created": "created",
  "fuzz-exited": "exited",
};

export class FuzzWorld {
  readonly #engine: RunningEngine;
  #exec = "";

  constructor(engine: RunningEngine) {
    this.#engine = engine;
  }

  /** Restores everything that requests expect, and removes everything else. */
  async restore(): Promise<void> {
    await mkdir(join(this.#root, "bind"), { recursive: true });
    for (;;) {
      await this.#restoreImage();
      const kept = await this.#removeOthers();
      for (const [name, state] of Object.entries(STATES)) if (!kept.has(name)) await this.#make(name, state);
      const exec = { Cmd: ["cat"], AttachStdin: true, AttachStdout: true };
      const answer = await this.#engine.call("POST", "/containers/fuzz-running/exec", exec);
      // A kill is answered before the container has ended, so one that was listed as running may end only now.
      if (answer.status === 409) continue;
      if (answer.status !== 201) throw new Error(`exec: ${answer.status} ${answer.text}`);
      this.#exec = answer.json<{ Id: string }>().Id;
      return;
    }
  }

  /** Replaces the names of objects. */
  filled(request: FuzzRequest): FuzzRequest {
    const fill = (text: string): string =>
      text
        .replaceAll("$running", "fuzz-running")
        .replaceAll("$created", "fuzz-created")
        .replaceAll("$exited", "fuzz-exited")
        .replaceAll("$exec", this.#exec)
        .replaceAll("$root", this.#root);
    return { ...request, target: fill(request.target), body: request.body === null ? null : fill(request.body) };
  }

  /** Removes all containers, which ends everything that waits for them, and the images made from them. */
  async clear(): Promise<void> {
    for (const { Id } of await this.#listed()) await this.#remove(Id);
    for (const { Id, RepoTags } of await this.#engine.read<{ Id: string; RepoTags: string[] | null }[]>(
      "/images/json",
    )) {
      if (!RepoTags?.includes("busybox:latest")) await this.#engine.call("DELETE", `/images/${Id}?force=1`);
    }
  }

  get #root(): string {
    return this.#engine.daemon.directories.root;
  }

  async #restoreImage(): Promise<void> {
    if ((await this.#engine.call("GET", "/images/busybox/json")).status !== 200) {
      await this.#engine.load(await busyboxArchive());
    }
  }

  async #removeOthers(): Promise<Set<string>> {
    const kept = new Set<string>();
    for (const { Id, Names, State } of await this.#listed()) {
      const name = Names[0]?.slice(1) ?? "";
      if (STATES[name] === State && (await this.#isSound(Id, name))) kept.add(name);
      else await this.#remove(Id);
    }
    return kept;
  }

  /** False if an update has made the container restart by itself, or has left it too little memory. */
  async #isSound(id: string, name: string): Promise<boolean> {
    const { HostConfig } = await this.#engine.inspect<{ HostConfig: Record<string, unknown> }>(id);
    const { RestartPolicy, Memory } = HostConfig as { RestartPolicy: { Name: string }; Memory: number };
    return name === "fuzz-created" || (["no", ""].includes(RestartPolicy.Name) && Memory === 0);
  }

  async #make(name: string, state: string): Promise<void> {
    const config = { Cmd: state === "running" ? ["sleep", "100000"] : ["true"], StopSignal: "SIGKILL" };
    const id = await this.#engine.create(config, `?name=${name}`);
    if (state !== "created") await this.#engine.start(id);
    if (state === "exited") await this.#engine.wait(id);
  }

  async #remove(id: string): Promise<void> {
    const answer = await this.#engine.call("DELETE", `/containers/${id}?force=1&v=1`);
    if (![204, 404, 409].includes(answer.status)) throw new Error(`remove: ${answer.status} ${answer.text}`);
  }

  #listed(): Promise<Listed[]> {
    return this.#engine.read("/containers/json?all=1");
  }
}
