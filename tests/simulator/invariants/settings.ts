// What was read of the configuration last holds: an engine that runs answers by it, and whoever follows events is told of
// it; an engine that is opened later is opened with it.

import type { RequestId, engine, replies } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import type { Invariant, Seen } from "./invariant.js";
import { eventsOf } from "./journal.js";

const INFO = /^(?:\/v[\d.]+)?\/info(?:\?|$)/;

const decoder = new TextDecoder();

export class SettingsHold implements Invariant {
  /** What was read last; null: nothing since the story's beginning. */
  readonly #newest: () => engine.Settings | null;
  /** Requests that ask for it. */
  readonly #asked = new Set<RequestId>();

  constructor(newest: () => engine.Settings | null) {
    this.#newest = newest;
  }

  stepped({ opening, input, outputs }: Seen): void {
    const newest = this.#newest();
    if (newest === null) return;
    if (opening !== null) expectSame("an engine is opened with", told(opening.options), told(newest));
    if (input?.tag === "reloaded") expectTold(newest, outputs.records);
    if (input?.tag === "request" && INFO.test(input.val.target)) this.#asked.add(input.val.id);
    for (const { request, command } of outputs.replies) {
      if (this.#asked.delete(request) && command.tag === "whole") expectAnswer(command.val, newest);
    }
  }

  crashed(): void {
    this.#asked.clear();
  }
}

/** In an order of its own. */
function told({ debug, labels, insecureRegistries, runtimes, defaultRuntime }: engine.Settings): unknown {
  return { debug, labels, insecureRegistries, runtimes: runtimes.map(({ name }) => name), defaultRuntime };
}

function expectTold({ labels, defaultRuntime }: engine.Settings, records: Seen["outputs"]["records"]): void {
  const event = eventsOf(records).find(({ type, action }) => type === "daemon" && action === "reload");
  const attributes = ["labels", "default-runtime"].map((name) => event?.attributes.get(name));
  expectSame("the journal is told", attributes, [JSON.stringify(labels), defaultRuntime]);
}

function expectAnswer({ head, body }: replies.Whole, { debug, labels, ...rest }: engine.Settings): void {
  if (head.status !== 200 || body.length === 0) return;
  const info = JSON.parse(decoder.decode(body)) as Info;
  const registries = rest.insecureRegistries.filter((one) => info.RegistryConfig.InsecureRegistryCIDRs.includes(one));
  const runtimes = Object.keys(info.Runtimes).sort();
  expectSame(
    "GET /info says",
    { debug: info.Debug, labels: info.Labels, registries, runtimes, defaultRuntime: info.DefaultRuntime },
    {
      ...{ debug, labels, registries: rest.insecureRegistries },
      ...{ runtimes: rest.runtimes.map(({ name }) => name).sort(), defaultRuntime: rest.defaultRuntime },
    },
  );
}

interface Info {
  Debug: boolean;
  Labels: string[];
  DefaultRuntime: string;
  Runtimes: Record<string, unknown>;
  RegistryConfig: { InsecureRegistryCIDRs: string[] };
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  const [one, other] = [found, expected].map((value) => JSON.stringify(value));
  if (one !== other) throw new Breach("settings", `${what} ${one}; what was read last is ${other}`);
}
