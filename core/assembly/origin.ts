// Who asked for what a step does, and why. The reasons are a closed list: the constants below, restart policies by
// name, and requests as `METHOD /path`, always without the query, which may contain private data.

import { Request } from "../../build/bindings/types";
import { headerOf } from "./api/headers";

/** No client asked: found or resumed when the engine started. */
export const ENGINE_START = "engine start";
export const EXITED_BY_ITSELF = "exited by itself";
export const OUT_OF_MEMORY = "out of memory";
/** It did not obey in time. */
export const STOP_TIMEOUT = "stop timeout";
export const AUTO_REMOVE = "auto-remove";
export const HEALTH_CHECK = "health check";
export const RELOAD = "configuration reload";
/** Followed by the policy's name. */
export const RESTART_POLICY = "restart policy ";

/** Limit for a client's User-Agent and request line, in UTF-16 units. */
const LONGEST = 200;

/** A client, as the sender of one request. Its texts are built on demand, since most requests need none. */
export class Asker {
  hasPeer: bool = false;
  uid: u32 = 0;
  pid: u32 = 0;
  private agentText: string = "";
  private requestText: string = "";

  private constructor(
    /** Null once the texts are built. */
    private headers: string | null,
    private readonly method: string,
    private readonly path: string,
  ) {}

  /** `path`: the decoded path of the request after the version. */
  static of(request: Request, path: string): Asker {
    const asker = new Asker(request.headers, request.method, path);
    const peer = request.peer;
    if (peer !== null) asker.identify(peer.uid, peer.pid);
    return asker;
  }

  /** The client of a request that ended long ago. */
  static recalled(agent: string, hasPeer: bool, uid: u32, pid: u32): Asker {
    const asker = new Asker(null, "", "");
    asker.agentText = agent;
    if (hasPeer) asker.identify(uid, pid);
    return asker;
  }

  /** Its User-Agent, or empty. */
  get agent(): string {
    this.read();
    return this.agentText;
  }

  /** The request line, as `METHOD /path`. */
  get asked(): string {
    this.read();
    return this.requestText;
  }

  private identify(uid: u32, pid: u32): void {
    this.hasPeer = true;
    this.uid = uid;
    this.pid = pid;
  }

  private read(): void {
    const headers = this.headers;
    if (headers === null) return;
    const agent = headerOf(headers, "User-Agent");
    this.agentText = agent === null ? "" : shortened(agent);
    this.requestText = shortened(`${this.method} ${this.path}`);
    this.headers = null;
  }
}

export class Origin {
  constructor(
    /** Null for the engine itself. */
    readonly asker: Asker | null,
    /** Empty if the reason is the client's request. */
    private readonly reason: string,
  ) {}

  get why(): string {
    if (this.reason.length > 0) return this.reason;
    const asker = this.asker;
    return asker === null ? "" : asker.asked;
  }
}

/** On whose behalf the core acts, and when: everything that a step changes or asks for gets the current origin. */
export class Acting {
  origin: Origin = new Origin(null, ENGINE_START);
  /** Wall-clock time of the step. */
  at: i64 = 0;

  /** Acts for no client, for a reason of the engine's own. */
  alone(reason: string): void {
    this.origin = new Origin(null, reason);
  }

  /** Acts for the same client, for another reason. */
  because(reason: string): void {
    this.origin = new Origin(this.origin.asker, reason);
  }
}

export const acting: Acting = new Acting();

/**
 * A User-Agent without its comments (RFC 9110 §10.1.5). `docker events` prints attributes in parentheses, and programs
 * parse a line up to the next closing one.
 */
export function productsOf(agent: string): string {
  let products = "";
  let depth = 0;
  for (let i = 0; i < agent.length; i++) {
    const unit = agent.charCodeAt(i);
    if (unit == 0x28) depth += 1;
    else if (unit == 0x29) depth -= depth > 0 ? 1 : 0;
    else if (depth == 0) products += agent.charAt(i);
  }
  return products
    .split(" ")
    .filter((word: string) => word.length > 0)
    .join(" ");
}

/** An unpaired surrogate at the end is replaced when the text is written. */
function shortened(text: string): string {
  return text.length > LONGEST ? text.slice(0, LONGEST) : text;
}
