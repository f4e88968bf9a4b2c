// Checks that the last settings apply: the running engine uses them in its answers and reports them as an event, and a
// later engine is opened with them.

import type { RequestId, engine, replies } from "../../../hosts/shared/host.js";
import { Breach } from "../breach.js";
import type { Invariant, Seen } from "./invariant.js";
import { eventsOf } from "./journal.js";

const INFO = /^(?:\/v[\d.]+)?\/info(?:\?|$)/;

const decoder = new TextDecoder();

export class SettingsHold implements Invariant {
  /** The last settings. Null if none were read since the start of the story. */
  readonly #newest: () => engine.Settings | null;
  /** Pending requests for `/info`. */
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

/** The settings in a fixed order. */
function told({ runtimes, ...rest }: engine.Settings): unknown {
  const { debug, labels, insecureRegistries, registryMirrors, registryHosts, defaultRuntime } = rest;
  const names = runtimes.map(({ name }) => name);
  return { debug, labels, insecureRegistries, registryMirrors, registryHosts, runtimes: names, defaultRuntime };
}

function expectTold({ labels, defaultRuntime }: engine.Settings, records: Seen["outputs"]["records"]): void {
  const event = eventsOf(records).find(({ type, action }) => type === "daemon" && action === "reload");
  const attributes = ["labels", "default-runtime"].map((name) => event?.attributes.get(name));
  expectSame("the event has", attributes, [JSON.stringify(labels), defaultRuntime]);
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
  if (one !== other) throw new Breach("settings", `${what} ${one}; the last settings are ${other}`);
}
