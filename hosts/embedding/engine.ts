// The engine in another program: the exports of `coracle-engine`.

import type { Connection, DryRun } from "../engine/index.js";
import type { Host, PortConnection, RecordStore, engine } from "../shared/index.js";
import type { Observer } from "../driver/index.js";

export type { Connection, DryRun, PortConnection };

/** A compiled core from `embeddedCore`. Only an engine can open it. */
export interface CompiledCore {
  /** Makes an instance. */
  instantiate(imports: never): unknown;
}

/** Options for opening an engine. */
export interface EngineOptions {
  /** The engine's world, for this engine alone: `close` closes the host, too. */
  host: Host;
  /**
   * 32 bytes from which ids are made: equal seeds and equal inputs, at equal times, make equal ids. By default the
   * host's seed, which is usually random.
   */
  seed?: Uint8Array;
  /** A store for records, instead of the host's own. `close` closes both. */
  records?: RecordStore;
  /** The core to run; by default the package's own. */
  core?: CompiledCore;
  /** Called for every step of the core: a trace, a timeline. */
  observer?: Observer;
  /** Registries that may be used without TLS: `host`, `host:port` or a CIDR block. */
  insecureRegistries?: readonly string[];
  /** Labels of the engine, `key=value`, shown in `/info`. */
  labels?: readonly string[];
  /** Settings of networks, as the daemon's flags give them; those that are missing are the usual ones. */
  networks?: Partial<engine.NetworkOptions>;
  /** JSON bodies beyond this many bytes are refused with 413; 4 MiB by default. */
  bodyLimit?: number;
  /** Most bytes of a tar after decompression: of layers, archives, contexts of builds; 256 GiB by default. */
  unpackedLimit?: number;
  /** Most bytes of an image's index, manifest or config; 4 MiB by default, 64 MiB at most. */
  documentLimit?: number;
  /** Most layers of an image; 125 by default. */
  layerLimit?: number;
  /** The newest API version that is served, for clients that only understand older ones: `1.41`. */
  maxApiVersion?: string;
  /**
   * No instance of the core can be kept: the engine is down and stays so. By default the error is logged to the
   * console.
   */
  onFatal?: (error: unknown) => void;
}

/** A message of `GET /events` (API 1.24 and later). */
export interface EngineEvent {
  /** The type of its subject: `container`, `image`, `network`, `volume`. */
  Type: string;
  /** What happened to it: `start`, `die`, `pull`. */
  Action: string;
  /** Its subject: an id, or a name if the API has no id; labels and other attributes of the action. */
  Actor: { ID: string; Attributes: Record<string, string> };
  /** Always `local`. */
  scope: string;
  /** Seconds since 1970. */
  time: number;
  /** Nanoseconds since 1970. A number cannot hold them exactly; it is off by up to 128. */
  timeNano: number;
}

/** Which events to get. */
export interface EventQuery {
  /** Seconds since 1970, or an RFC 3339 time. */
  since?: string;
  /** Like `since`; without it there is no end. */
  until?: string;
  /** As in the API: `{ type: ["container"] }`. */
  filters?: Readonly<Record<string, readonly string[]>>;
  /** Ends it. */
  signal?: AbortSignal;
}

/** A container engine. */
export interface Engine {
  /**
   * Answers a request of the Docker Engine API. The URL's host is ignored: `http://engine/v1.51/containers/json`; a
   * path alone is enough. Rejects as `fetch` does if the engine is down, or goes down before the head of the reply. If
   * the body is at hand (none, text, bytes), the request has been made when this returns. If you do not read a reply's
   * body, cancel it.
   */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /**
   * Sends a request that takes the connection off HTTP (`POST /containers/{id}/attach`), and adds the upgrade headers
   * for it. Rejects as `fetch` does.
   */
  connect(input: Request | URL | string, init?: RequestInit): Promise<Connection>;
  /**
   * Connects to a port that a container publishes. The simulated host can do so; real ports are reached with the
   * platform's own sockets. With TCP it rejects with `SocketError` if nothing listens there. With UDP each chunk is a
   * datagram, which may get lost, and `readable` ends when the other side says that nobody listens there.
   */
  connect(port: number, protocol?: "tcp" | "udp"): Promise<PortConnection>;
  /** The engine's events as they happen, until `signal` aborts, `until` is reached or the engine is closed. */
  events(query?: EventQuery): AsyncIterableIterator<EngineEvent>;
  /**
   * Starts a session of dry runs. For a single request, set the header `Coracle-Dry-Run: 1`. With `plan` instead of
   * `1`, the answer is a `Plan` of what would be done.
   */
  dryRun(): DryRun;
  /** The containers' state machine, from the core's own table. */
  rules(): engine.Rule[];
  /** Ends the engine as `kill -9` would, between two outputs. The world runs on; requests fail until `reopen`. */
  crash(): void;
  /** Starts it again after `crash`, from its records and from what the host finds. */
  reopen(): Promise<void>;
  /** `down` after a crash. */
  readonly state: "open" | "down" | "closed";
  /**
   * Ends it in order. New requests are refused, current ones are answered within half a second, streams are broken off.
   * Closes records and host. Containers that can outlive their host, as Linux's do, run on.
   */
  close(): Promise<void>;
}
