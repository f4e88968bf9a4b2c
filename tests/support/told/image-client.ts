// A client with three image names: one that it pulls, a second name for the same image, and one that it commits.
import { expect } from "vitest";
import { until } from "../commands.js";
import { tarOf } from "../archives/images.js";
import { readTar } from "../archives/read-tar.js";
import { Client, type Door, type Step } from "./client.js";

/** A name, and the image that it was reported to name; null if there is none. */
interface Named {
  readonly reference: string;
  told: Held | null;
}

interface Held {
  readonly id: string;
  /** A file in the image, and its content. */
  readonly path: string;
  readonly text: string;
}

/** The file in committed images. */
const FILE = "content";

export class ImageClient extends Client {
  #inRegistry: Held;
  readonly #pulled: Named;
  readonly #tagged: Named;
  readonly #committed: Named;
  /** The container that is committed, or used to read files. */
  readonly #container: string;
  #count = 0;
  protected readonly steps: readonly Step[];

  /** `reference` is pulled; it must contain a file `path`. A first pull finds out its id and content. */
  static async open(
    engine: Door,
    random: (limit: number) => number,
    name: string,
    reference: string,
    path: string,
  ): Promise<ImageClient> {
    const client = new ImageClient(engine, random, name, reference, { id: "", path, text: "" });
    await client.#learn();
    return client;
  }

  private constructor(
    engine: Door,
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

  async #learn(): Promise<void> {
    await this.#pull();
    const { reference } = this.#pulled;
    const { Id } = (await this.ask([200], "GET", `/images/${reference}/json`)).json<{ Id: string }>();
    const { path } = this.#inRegistry;
    this.#inRegistry = { id: Id, path, text: await this.#look(reference, path) };
    await this.#remove(this.#pulled);
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
    this.#committed.told = { id: answer.json<{ Id: string }>().Id, path: FILE, text };
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
    // For an unanswered commit the text is known, but not the id.
    const committed = { id: found, path: FILE, text: `committed ${this.#count}` };
    named.told ??= named === this.#committed ? committed : this.#inRegistry;
    const { path } = named.told;
    expect({ id: found, path, text: await this.#look(named.reference, path) }, told).toEqual(named.told);
  }

  /** Whether the unanswered request is about it. */
  #mayChange(named: Named): boolean {
    if (named === this.#pulled) return this.asked === "pull" || this.asked === "remove the pulled";
    if (named === this.#tagged) return this.asked === "tag" || this.asked === "remove the tagged";
    return this.asked === "commit" || this.asked === "remove the committed";
  }

  /** The image's file, as a container sees it. */
  async #look(reference: string, path: string): Promise<string> {
    const wish = { Image: reference, Cmd: ["true"] };
    await this.ask([201], "POST", `/containers/create?name=${this.#container}`, wish);
    const answer = await this.ask([200], "GET", `/containers/${this.#container}/archive?path=/${path}`);
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
    // What has arrived of a pull that was cut off stays for a day. The next pull uses it up.
    if (this.#pulled.told === null) await this.#pull();
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
