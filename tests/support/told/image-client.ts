// A client with three names of images: one that it pulls, another for the same, and one that it commits.
import { expect } from "vitest";
import { until } from "../../support/commands.js";
import type { EngineClient } from "../../support/engine-client.js";
import { tarOf } from "../../support/images.js";
import type { MemoryRegistry } from "../../support/memory-registry.js";
import { packImage } from "../../support/push-image.js";
import { readTar } from "../../support/read-tar.js";
import { Client, type Step } from "./client.js";

/** A name, and what an image of that name is told to be; null when there is none. */
interface Named {
  readonly reference: string;
  told: Held | null;
}

interface Held {
  readonly id: string;
  /** Of the file that its last layer has. */
  readonly text: string;
}

const FILE = "content";

export class ImageClient extends Client {
  readonly #inRegistry: Held;
  readonly #pulled: Named;
  readonly #tagged: Named;
  readonly #committed: Named;
  /** Container that is committed, or looked into. */
  readonly #container: string;
  #count = 0;
  protected readonly steps: readonly Step[];

  /** Puts its image into a registry. */
  static async open(
    engine: EngineClient,
    random: (limit: number) => number,
    name: string,
    registry: MemoryRegistry,
  ): Promise<ImageClient> {
    const text = `pulled by ${name}`;
    const files = [
      { name: "ballast", body: Buffer.alloc(1 << 20, name) },
      { name: FILE, body: text },
    ];
    const layers = await Promise.all(files.map((file) => tarOf([file])));
    const image = packImage({ reference: null, config: { Cmd: ["true"] }, layers });
    registry.put(name, ["1"], image);
    return new ImageClient(engine, random, name, `${registry.host}/${name}:1`, { id: image.id, text });
  }

  private constructor(
    engine: EngineClient,
    random: (limit: number) => number,
    name: string,
    reference: string,
    inRegistry: Held,
  ) {
    super(engine, random);
    this.#container = `${name}-container`;
    this.#inRegistry = inRegistry;
    this.#pulled = { reference, told: null };
    this.#tagged = { reference: `${name}-tagged:1`, told: null };
    this.#committed = { reference: `${name}-committed:1`, told: null };
    const step = (name: string, fits: () => boolean, act: () => Promise<void>): Step => ({ name, fits, act });
    const [pulled, tagged, committed] = [this.#pulled, this.#tagged, this.#committed];
    this.steps = [
      step(
        "pull",
        () => pulled.told === null,
        () => this.#pull(),
      ),
      step(
        "tag",
        () => pulled.told !== null && tagged.told === null,
        () => this.#tag(),
      ),
      step(
        "commit",
        () => committed.told === null,
        () => this.#commit(),
      ),
      step(
        "remove the pulled",
        () => pulled.told !== null,
        () => this.#remove(pulled),
      ),
      step(
        "remove the tagged",
        () => tagged.told !== null,
        () => this.#remove(tagged),
      ),
      step(
        "remove the committed",
        () => committed.told !== null,
        () => this.#remove(committed),
      ),
    ];
  }

  async #pull(): Promise<void> {
    const answer = await this.ask([200], "POST", `/images/create?fromImage=${this.#pulled.reference}`);
    expect(answer.text, this.describe()).not.toContain('"error"');
    this.#pulled.told = this.#inRegistry;
  }

  async #tag(): Promise<void> {
    const [repo = "", tag] = this.#tagged.reference.split(":");
    await this.ask([201], "POST", `/images/${this.#pulled.reference}/tag?repo=${repo}&tag=${tag}`);
    this.#tagged.told = this.#pulled.told;
  }

  async #commit(): Promise<void> {
    const [repo = "", tag] = this.#committed.reference.split(":");
    const text = `committed ${(this.#count += 1)}`;
    await this.ask([201], "POST", `/containers/create?name=${this.#container}`, { Image: "busybox", Cmd: ["true"] });
    const tar = await tarOf([{ name: FILE, body: text }]);
    await this.ask([200], "PUT", `/containers/${this.#container}/archive?path=/`, tar);
    const answer = await this.ask([201], "POST", `/commit?container=${this.#container}&repo=${repo}&tag=${tag}`, {});
    this.#committed.told = { id: answer.json<{ Id: string }>().Id, text };
    await this.ask([204], "DELETE", `/containers/${this.#container}`);
  }

  async #remove(named: Named): Promise<void> {
    await this.ask([200], "DELETE", `/images/${named.reference}`);
    named.told = null;
  }

  async check(): Promise<void> {
    await this.#removeContainer();
    for (const named of [this.#pulled, this.#tagged, this.#committed]) await this.#checkName(named);
    this.asked = null;
  }

  async #checkName(named: Named): Promise<void> {
    const told = `${named.reference} of ${this.describe()}`;
    const answer = await this.ask([200, 404], "GET", `/images/${named.reference}/json`);
    const found = answer.status === 404 ? null : answer.json<{ Id: string }>().Id;
    if (!this.#mayChange(named) || (found !== null && named.told !== null)) {
      expect(found, told).toBe(named.told?.id ?? null);
    }
    if (found === null) {
      named.told = null;
      return;
    }
    const text = await this.#look(named.reference);
    // Of a commit that was not answered the text is known, but not the id.
    named.told ??= { id: found, text: named === this.#committed ? `committed ${this.#count}` : this.#inRegistry.text };
    expect({ id: found, text }, told).toEqual(named.told);
  }

  /** What was asked for and not answered is about it. */
  #mayChange(named: Named): boolean {
    if (named === this.#pulled) return this.asked === "pull" || this.asked === "remove the pulled";
    if (named === this.#tagged) return this.asked === "tag" || this.asked === "remove the tagged";
    return this.asked === "commit" || this.asked === "remove the committed";
  }

  /** The image's file, as a container sees it. */
  async #look(reference: string): Promise<string> {
    const wish = { Image: reference, Cmd: ["true"] };
    await this.ask([201], "POST", `/containers/create?name=${this.#container}`, wish);
    const answer = await this.ask([200], "GET", `/containers/${this.#container}/archive?path=/${FILE}`);
    await this.#removeContainer();
    return (await readTar(answer.body))[0]?.text ?? "";
  }

  async #removeContainer(): Promise<void> {
    await this.ask([204, 404, 409], "DELETE", `/containers/${this.#container}?force=1`);
    await until(`${this.#container} to be gone`, async () => {
      return (await this.ask([200, 404], "GET", `/containers/${this.#container}/json`)).status === 404;
    });
  }

  async clear(): Promise<void> {
    await this.#removeContainer();
    for (const named of [this.#pulled, this.#tagged, this.#committed]) {
      if (named.told !== null) await this.#remove(named);
    }
  }

  protected describe(): string {
    return JSON.stringify({
      pulled: this.#pulled,
      tagged: this.#tagged,
      committed: this.#committed,
      asked: this.asked,
    });
  }
}
