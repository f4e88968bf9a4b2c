// The calls that most tests make, on top of raw HTTP: create, start, wait, logs, inspect, remove.
import { encodeRequest, exchange, RawConnection, type RawResponse } from "./raw-http.js";
import { frames } from "./frames.js";

export interface CallOptions {
  /** API version in the path; null for no version. */
  readonly version?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

export interface Ended extends Output {
  readonly id: string;
  readonly code: number;
}

export type Json = Readonly<Record<string, unknown>>;

/** For answers that come when something ends by itself. */
const LONGEST_MS = 120_000;

/** The newest version that both engines support; used unless a test is about versions. */
export const COMMON_VERSION = "1.41";

export class EngineClient {
  constructor(readonly socketPath: string) {}

  call(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<RawResponse> {
    const version = options.version === undefined ? COMMON_VERSION : options.version;
    const target = version === null ? path : `/v${version}${path}`;
    const request = { method, target, ...(body === undefined ? {} : { body }), headers: options.headers ?? {} };
    return exchange(this.socketPath, request, options.timeoutMs);
  }

  /** A call that must be answered with `status`. Returns the answer. */
  async must(
    status: number,
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<RawResponse> {
    const response = await this.call(method, path, body, options);
    if (response.status !== status) {
      throw new Error(`${method} ${path}: expected ${status}, got ${response.status}: ${response.text.slice(0, 500)}`);
    }
    return response;
  }

  /** The body of a GET that must succeed. */
  async read<T = Json>(path: string, options?: CallOptions): Promise<T> {
    return (await this.must(200, "GET", path, undefined, options)).json<T>();
  }

  /** Resolves once the engine has read everything that clients sent before: it answers a later request later. */
  async caughtUp(): Promise<void> {
    await this.must(200, "GET", "/_ping");
  }

  /** Creates a container, of busybox unless told otherwise. Returns its id. */
  async create(config: Json = {}, query = ""): Promise<string> {
    const body = { Image: "busybox", ...config };
    return (await this.must(201, "POST", `/containers/create${query}`, body)).json<{ Id: string }>().Id;
  }

  async start(id: string): Promise<void> {
    await this.must(204, "POST", `/containers/${id}/start`);
  }

  /** Waits for the end of a container, as long as a test may take. Returns its exit code. */
  async wait(id: string, condition = "not-running"): Promise<number> {
    const path = `/containers/${id}/wait?condition=${condition}`;
    const answer = await this.must(200, "POST", path, undefined, { timeoutMs: LONGEST_MS });
    return answer.json<{ StatusCode: number }>().StatusCode;
  }

  /** Starts waiting now, so that nothing is missed. The returned function resolves to the exit code. */
  async beginWait(id: string, condition: string): Promise<() => Promise<number>> {
    const connection = await RawConnection.open(this.socketPath, LONGEST_MS);
    const target = `/v${COMMON_VERSION}/containers/${id}/wait?condition=${condition}`;
    connection.send(encodeRequest({ method: "POST", target }));
    // The head arrives once the engine waits.
    const head = await connection.head();
    if (head.status !== 200) throw new Error(`wait for ${id}: expected 200, got ${head.status}`);
    return async () => {
      const body = await connection.body(head);
      connection.close();
      return (JSON.parse(body.toString()) as { StatusCode: number }).StatusCode;
    };
  }

  async remove(id: string): Promise<void> {
    await this.must(204, "DELETE", `/containers/${id}?force=1&v=1`);
  }

  inspect<T = Json>(id: string, options?: CallOptions): Promise<T> {
    return this.read<T>(`/containers/${id}/json`, options);
  }

  /** The whole log of a container without a TTY. */
  async logs(id: string, query = "stdout=1&stderr=1"): Promise<Output> {
    return frames((await this.must(200, "GET", `/containers/${id}/logs?${query}`)).body);
  }

  /** Creates and starts a container. Returns its id. */
  async running(config: Json = {}, query = ""): Promise<string> {
    const id = await this.create({ Cmd: ["sleep", "1000"], StopSignal: "SIGKILL", ...config }, query);
    await this.start(id);
    return id;
  }

  /** Runs a container to its end and removes it. */
  async run(config: Json): Promise<Ended> {
    const id = await this.create(config);
    await this.start(id);
    const code = await this.wait(id);
    const output = await this.logs(id);
    await this.remove(id);
    return { id, code, ...output };
  }

  async load(archive: Uint8Array): Promise<RawResponse> {
    const headers = { "Content-Type": "application/x-tar" };
    const response = await this.must(200, "POST", "/images/load?quiet=1", archive, { headers });
    if (response.text.includes('"error"')) throw new Error(`load: ${response.text}`);
    return response;
  }
}

/** The `message` of an error answer. */
export function messageOf(response: RawResponse): string {
  return response.json<{ message: string }>().message;
}
