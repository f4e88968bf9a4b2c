// A client with two networks and a container that joins and leaves them.
import { expect } from "vitest";
import { until } from "../commands.js";
import { Client, type CutBy, type Door, type Step } from "./client.js";

/** What is on the machine: networks by their ids, and the networks that a container has joined. */
export interface Wires {
  networks(): string[];
  joinedBy(container: string): string[];
}

/** What the engine has told. */
interface Known {
  readonly name: string;
  /** Its id; null if it does not exist. */
  id: string | null;
  isJoined: boolean;
}

export class NetworkClient extends Client {
  readonly #networks: readonly Known[];
  readonly #container: string;
  readonly #wires: Wires;
  #id = "";
  protected readonly steps: readonly Step[];

  /** Starts the container. */
  static async open(
    engine: Door,
    random: (limit: number) => number,
    name: string,
    wires: Wires,
  ): Promise<NetworkClient> {
    const client = new NetworkClient(engine, random, name, wires);
    await client.#begin();
    return client;
  }

  private constructor(engine: Door, random: (limit: number) => number, name: string, wires: Wires) {
    super(engine, random);
    this.#container = `${name}-container`;
    this.#wires = wires;
    this.#networks = [`${name}-a`, `${name}-b`].map((one) => ({ name: one, id: null, isJoined: false }));
    this.steps = this.#networks.flatMap((network) => this.#stepsOf(network));
  }

  #stepsOf(network: Known): Step[] {
    const step = (name: string, fits: () => boolean, act: () => Promise<void>): Step => {
      return { name: `${name} ${network.name}`, fits, act };
    };
    const isThere = (): boolean => network.id !== null;
    return [
      step(
        "make",
        () => !isThere(),
        () => this.#make(network),
      ),
      step(
        "remove",
        () => isThere() && !network.isJoined,
        () => this.#remove(network),
      ),
      step(
        "connect",
        () => isThere() && !network.isJoined,
        () => this.#wire("connect", network),
      ),
      step(
        "disconnect",
        () => network.isJoined,
        () => this.#wire("disconnect", network),
      ),
    ];
  }

  async #begin(): Promise<void> {
    const wish = { Image: "busybox", Cmd: ["sleep", "1000000"] };
    const made = await this.ask([201], "POST", `/containers/create?name=${this.#container}`, wish);
    this.#id = made.json<{ Id: string }>().Id;
    await this.ask([204], "POST", `/containers/${this.#id}/start`);
  }

  async #make(network: Known): Promise<void> {
    const answer = await this.ask([201], "POST", "/networks/create", { Name: network.name });
    network.id = answer.json<{ Id: string }>().Id;
  }

  async #remove(network: Known): Promise<void> {
    await this.ask([204], "DELETE", `/networks/${network.name}`);
    network.id = null;
  }

  async #wire(what: "connect" | "disconnect", network: Known): Promise<void> {
    await this.ask([200], "POST", `/networks/${network.name}/${what}`, { Container: this.#id });
    network.isJoined = what === "connect";
  }

  async check(by: CutBy): Promise<void> {
    if (by === "power loss") {
      // It may be a moment until the engine knows that the run is over.
      await until(`${this.#container} to run`, async () => {
        await this.ask([204, 304], "POST", `/containers/${this.#id}/start`);
        return (await this.#inspect()).State.Running;
      });
    }
    for (const network of this.#networks) await this.#checkNetwork(network);
    await this.#checkMachine();
    this.asked = null;
  }

  async #checkNetwork(network: Known): Promise<void> {
    const told = `${network.name} of ${this.describe()}`;
    const answer = await this.ask([200, 404], "GET", `/networks/${network.name}`);
    const id = answer.status === 404 ? null : answer.json<{ Id: string }>().Id;
    const isOpen = (...steps: string[]): boolean => steps.some((step) => this.asked === `${step} ${network.name}`);
    if (!isOpen("make", "remove") || (id !== null && network.id !== null)) expect(id, told).toBe(network.id);
    network.id = id;
    const isJoined = network.name in (await this.#inspect()).NetworkSettings.Networks;
    if (!isOpen("connect", "disconnect")) expect(isJoined, told).toBe(network.isJoined);
    network.isJoined = isJoined;
  }

  /** The machine has what the engine tells, once what the cut interrupted is completed or undone. */
  async #checkMachine(): Promise<void> {
    const there = this.#networks.flatMap(({ id }) => (id === null ? [] : [id]));
    const joined = this.#networks.flatMap(({ id, isJoined }) => (id !== null && isJoined ? [id] : [])).sort();
    await until(`the machine to have what is told of ${this.describe()}`, () => {
      const [networks, joins] = [this.#wires.networks(), this.#wires.joinedBy(this.#id)];
      const isThere = there.every((id) => networks.includes(id));
      return isThere && joined.every((id) => joins.includes(id)) && joins.length === joined.length + 1;
    });
  }

  async #inspect(): Promise<Inspected> {
    return (await this.ask([200], "GET", `/containers/${this.#id}/json`)).json<Inspected>();
  }

  /** Nothing is left on the machine. */
  async clear(): Promise<void> {
    await this.ask([204], "DELETE", `/containers/${this.#id}?force=1`);
    const ids = this.#networks.flatMap(({ id }) => (id === null ? [] : [id]));
    for (const network of this.#networks) {
      network.isJoined = false;
      if (network.id !== null) await this.#remove(network);
    }
    const networks = this.#wires.networks();
    expect(networks.filter((id) => ids.includes(id))).toEqual([]);
    expect(this.#wires.joinedBy(this.#id)).toEqual([]);
  }

  protected describe(): string {
    return JSON.stringify({ networks: this.#networks, asked: this.asked, history: this.history });
  }
}

interface Inspected {
  State: { Running: boolean };
  NetworkSettings: { Networks: Record<string, unknown> };
}
