// The engine's HTTP server: requests become inputs of the core, and its replies become responses. fastify has one
// wildcard route. Neither fastify nor Node's server answers anything by itself, except malformed HTTP.

import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createSocketServer } from "node:net";
import type { Server as SocketServer } from "node:net";
import type { Duplex } from "node:stream";
import fastify from "fastify";
import { Exchange, bodyOf, contextOf } from "../../request/index.js";
import type { Passage, Session } from "../../request/index.js";
import type { Clients, Entrance } from "../../engine/index.js";
import type { RequestId, engine } from "../../shared/index.js";
import type { GrpcCall } from "../grpc/call-server.js";
import { bytesOf } from "./bodies.js";
import { exchangeThrough } from "./gate-channel.js";
import type { GateContext } from "./gate-channel.js";
import { Gate, refuse } from "./gate.js";
import type { TakePlain } from "./gate.js";
import type { Ground } from "../ground.js";
import { HttpResponse } from "./http-response.js";
import { KeptReplies } from "./kept-replies.js";
import { PlainResponse } from "./plain-response.js";
import { receiveBody, receivedBody } from "./request-body.js";
import { LONGEST_HEAD, type RequestHead } from "./request-head.js";
import { sendOwn } from "./own-reply.js";
import type { OwnReply } from "./own-reply.js";
import type { Response } from "./response.js";
import { descriptorOf } from "./socket-client.js";

/** The core validates and writes JSON. fastify's own compilers of schemas would take a tenth of a start. */
const NO_SCHEMAS = { buildValidator: () => never, buildSerializer: () => never };

function never(): never {
  throw new Error("no route has a schema");
}

export interface ApiServerOptions {
  /** Where requests go. */
  entrance: Entrance;
  /** The generation of stateless answers: see `AssembledEngine`. */
  generation: () => number;
  /** See `Ground`. */
  hasHungUp?: Ground["hasHungUp"];
  /** See `Ground`. */
  peerOf?: Ground["peerOf"];
  /** Requests that the daemon answers itself because the core does not know the answer; null: ask the core. */
  own?: (head: RequestHead, from: Origin) => OwnReply | null;
  /** So many bytes of requests were read, or of replies were sent. */
  passed?: (bytes: number) => void;
}

/** Where a connection came in, and from which process. */
export interface Origin {
  /** The name that the core gets. */
  listener: string;
  /** Missing if it is not known. */
  peer?: engine.Peer;
}

export class ApiServer implements Clients {
  readonly #options: ApiServerOptions;
  readonly #http: Server;
  readonly #listeners: SocketServer[] = [];
  readonly #origins = new WeakMap<Gate, Origin>();
  readonly #open = new Set<Gate>();
  readonly #ways = new WeakMap<Passage, Way>();
  /** By listener. */
  readonly #kept = new Map<string, KeptReplies>();

  static async create(options: ApiServerOptions): Promise<ApiServer> {
    let http: Server | null = null;
    const app = fastify({
      // Clients keep connections for as long as they like, and `wait` may take days: no timeouts.
      serverFactory: (handler) =>
        (http = createServer(
          {
            requestTimeout: 0,
            headersTimeout: 0,
            keepAliveTimeout: 0,
            maxHeaderSize: LONGEST_HEAD,
            requireHostHeader: false,
          },
          handler,
        )),
      schemaController: { compilersFactory: NO_SCHEMAS },
      exposeHeadRoutes: false,
      clientErrorHandler: (error, socket) => {
        const tells = socket.writable && error.code !== "ECONNRESET" && !(socket as unknown as Gate).answered;
        if (tells) refuse(socket, "400 Bad Request", "400 Bad Request");
        else socket.destroy();
      },
    });
    const server: { api: ApiServer | null } = { api: null };
    // Passed on before the framework looks at types, lengths or bodies: those are up to the core.
    app.addHook("onRequest", (request, reply, _done) => {
      reply.hijack();
      server.api!.#ask(request.raw, reply.raw);
    });
    app.all("*", () => {});
    app.setNotFoundHandler(() => {});
    await app.ready();
    server.api = new ApiServer(http!, options);
    return server.api;
  }

  private constructor(http: Server, options: ApiServerOptions) {
    this.#http = http;
    this.#options = options;
    http.maxHeadersCount = 0;
    // Otherwise Node would answer 417 by itself, and the gate would never learn that the reply is out.
    http.on("checkExpectation", (request: IncomingMessage) => {
      refuse(request.socket, "417 Expectation Failed", "417 Expectation Failed");
      request.resume();
    });
  }

  /** Accepts connections on a listening handle. `name` tells the core where: `unix:///run/x.sock`. */
  accept(name: string): SocketServer {
    const listener = createSocketServer({ allowHalfOpen: true }, (socket) => this.serve(socket, name));
    this.#listeners.push(listener);
    return listener;
  }

  /** Serves one connection. After one side has closed, the other may still write. */
  serve(connection: Duplex, name: string): void {
    const gate = new Gate(connection, this.#askPlain, this.#keptOf(name), this.#options.passed);
    this.#origins.set(gate, { listener: name, ...this.#peerOf(connection) });
    this.#open.add(gate);
    gate.once("close", () => this.#open.delete(gate));
    this.#http.emit("connection", gate);
  }

  /**
   * Accepts no new connections. Open ones get `graceMs` for their current replies. After that, those whose replies have
   * begun are closed, since such a reply may have no end. The others wait for theirs until `close`.
   */
  async drain(graceMs: number): Promise<void> {
    for (const listener of this.#listeners) listener.close();
    for (const gate of this.#open) gate.closeWhenIdle();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)));
    await Promise.race([late, this.#closed(() => true)]);
    clearTimeout(timer);
    await this.#destroy((gate) => gate.answered);
  }

  /** Call this after `drain`: closes the connections that still wait. */
  async close(): Promise<void> {
    await this.#destroy(() => true);
  }

  async #destroy(which: (gate: Gate) => boolean): Promise<void> {
    for (const gate of this.#open) if (which(gate)) gate.destroy();
    await this.#closed(which);
  }

  async #closed(which: (gate: Gate) => boolean): Promise<void> {
    await Promise.all([...this.#open].filter(which).map(closing));
  }

  #ask(message: IncomingMessage, response: ServerResponse): void {
    const gate = message.socket as unknown as Gate;
    const head = gate.head!;
    receiveBody(head, message, this.#options.entrance.bodyLimit, (body) => {
      this.#go(gate, head, (way) => {
        const { door } = way;
        const id = door.nextRequest();
        if (body.tag === "stream") door.bodies.offer(id, bytesOf(message, response));
        else if (body.tag === "whole") door.bodies.offer(id, bodyOf(body.val));
        this.#deliver(way, id, gate, head, body, new HttpResponse(response));
      });
    });
  }

  readonly #askPlain: TakePlain = (gate, head, bytes) => {
    this.#go(gate, head, (way) => {
      const id = way.door.nextRequest();
      const body = receivedBody(head, bytes, this.#options.entrance.bodyLimit);
      if (body.tag === "whole") way.door.bodies.offer(id, bodyOf(body.val));
      const { passed = () => {} } = this.#options;
      const response = new PlainResponse(gate.socket, head.method, (reply) => gate.keep(reply), passed);
      this.#deliver(way, id, gate, head, body, response);
    });
  };

  /** For a request to the live engine, calls `then` at once. */
  #go(gate: Gate, { method, target, headers }: RequestHead, then: (way: Way) => void): void {
    const { listener } = this.#originOf(gate);
    const passage = this.#options.entrance.passage({ listener, method, target, headers });
    if (!(passage instanceof Promise)) return then(this.#through(passage));
    void passage.then((found) => {
      if (gate.destroyed) found.unused();
      else then(this.#through(found));
    });
  }

  /** The way of most requests is the same. */
  #through(passage: Passage): Way {
    const way = this.#ways.get(passage) ?? this.#wayThrough(passage);
    this.#ways.set(passage, way);
    return way;
  }

  #wayThrough({ door, channel, unused }: Passage): Way {
    const { hasHungUp = () => false, entrance } = this.#options;
    const { bodyLimit } = entrance;
    const called: GateContext["called"] = (...all) => this.#called(...all);
    const sessionOf = (id: RequestId, session: Session): void => door.bodies.offerSession(id, session);
    return { door, unused, context: { ...contextOf(door), hasHungUp, channel, called, bodyLimit, sessionOf } };
  }

  /** A call on a connection that carries calls. `gate`: the one through which its first request came. */
  #called(gate: Gate, carrier: RequestId, { path, headers, body, channel }: GrpcCall): void {
    const request = { method: "POST", target: `/grpc${path}`, headers };
    const begin = ({ door, context, unused }: Way): void => {
      if (channel.isGone) return unused();
      const id = door.nextRequest();
      const exchange = new Exchange(id, context.channel(channel), context);
      channel.reportTo(exchange);
      channel.offer = (session) => context.sessionOf(id, session);
      door.replies.add(id, exchange);
      door.deliver({ tag: "request", val: { id, ...this.#originOf(gate), carrier, ...request, body } });
    };
    const passage = this.#options.entrance.passage({ listener: this.#originOf(gate).listener, ...request });
    if (passage instanceof Promise) void passage.then((found) => begin(this.#through(found)));
    else begin(this.#through(passage));
  }

  #deliver(way: Way, id: RequestId, gate: Gate, head: RequestHead, body: engine.Body, response: Response): void {
    const own = this.#options.own?.(head, this.#originOf(gate)) ?? null;
    if (own !== null) {
      way.door.bodies.forget(id);
      way.unused();
      return void sendOwn(own, gate, response);
    }
    way.door.replies.add(id, exchangeThrough(gate, id, response, way.context));
    const { method, target, headers } = head;
    way.door.deliver({ tag: "request", val: { id, ...this.#originOf(gate), method, target, headers, body } });
  }

  #keptOf(listener: string): KeptReplies {
    const kept = this.#kept.get(listener) ?? new KeptReplies(this.#options.generation);
    this.#kept.set(listener, kept);
    return kept;
  }

  #originOf(gate: Gate): Origin {
    return this.#origins.get(gate) ?? { listener: "" };
  }

  /** Asked once for each connection: its holder may change, but not its maker. */
  #peerOf(connection: Duplex): { peer?: engine.Peer } {
    const descriptor = descriptorOf(connection);
    const { peerOf } = this.#options;
    if (peerOf === undefined || descriptor < 0) return {};
    try {
      return { peer: peerOf(descriptor) };
    } catch {
      return {};
    }
  }
}

/** For one request: the door, and what its exchange needs. */
interface Way extends Omit<Passage, "channel"> {
  context: GateContext;
}

function closing(gate: Gate): Promise<void> {
  return new Promise((resolve) => gate.once("close", () => resolve()));
}
