// The real registry (Debian's docker-registry) as a company has it: with TLS, only for those who show a certificate,
// with passwords, and behind a proxy, which has a password too and alone knows the registry's name.

import { spawn, type ChildProcess } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findProgram, must, until } from "../support/commands.js";
import { makeCertificate } from "../support/registry/certificate.js";
import { freePort, type Login } from "../support/registry/docker-registry.js";

export class GuardedRegistry {
  static readonly host = "registry.hidden.example";
  /** For `--registry-certs`. */
  readonly certificates: string;
  /** What the proxy was asked: `CONNECT HOST:PORT`, and whether with its password. */
  readonly asked: string[] = [];
  readonly #root: string;
  #registry: ChildProcess | null = null;
  #proxy: Server | null = null;

  private constructor(root: string) {
    [this.#root, this.certificates] = [root, join(root, "certs.d")];
  }

  static async start(login: Login): Promise<GuardedRegistry> {
    const guarded = new GuardedRegistry(await mkdtemp(join(tmpdir(), "coracle-guarded-")));
    await guarded.#start(login);
    return guarded;
  }

  /** The proxy's address with its password, for engines that reach it at `address`. */
  proxyAt(address: string): string {
    const { port } = this.#proxy!.address() as AddressInfo;
    return `http://${PROXY_LOGIN}@${address}:${port}`;
  }

  get place(): string {
    return join(this.certificates, GuardedRegistry.host);
  }

  async #start({ username, password }: Login): Promise<void> {
    const port = await freePort();
    const root = this.#root;
    const path = (name: string): string => join(root, name);
    await makeCertificate(root, "registry", `DNS:${GuardedRegistry.host}`);
    await makeCertificate(root, "me");
    await must(["htpasswd", "-Bbc", path("htpasswd"), username, password]);
    await writeFile(
      path("config.yml"),
      "version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\n" +
        `storage: {filesystem: {rootdirectory: ${path("store")}}}\n` +
        `http: {addr: "127.0.0.1:${port}", tls: {certificate: ${path("registry.cert")}, key: ${path("registry.key")}, ` +
        `clientcas: [${path("me.cert")}]}}\n` +
        `auth: {htpasswd: {realm: test, path: ${path("htpasswd")}}}\n`,
    );
    this.#registry = spawn(findProgram("docker-registry") ?? "docker-registry", ["serve", path("config.yml")], {
      stdio: "ignore",
    });
    await mkdir(this.place, { recursive: true });
    await copyFile(path("registry.cert"), join(this.place, "ca.crt"));
    for (const kind of ["cert", "key"]) await copyFile(path(`me.${kind}`), join(this.place, `client.${kind}`));
    await until("the registry", () => isListening(port));
    this.#proxy = createServer((_, response) => void response.writeHead(400).end());
    this.#proxy.on("connect", ({ url, headers }, socket) => {
      const isKnown = headers["proxy-authorization"] === `Basic ${btoa(PROXY_LOGIN)}`;
      this.asked.push(`CONNECT ${url} ${isKnown ? "known" : "unknown"}`);
      if (!isKnown) return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      if (url !== `${GuardedRegistry.host}:443`) return void socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      const onward = connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      for (const one of [onward, socket]) one.on("error", () => [onward, socket].forEach((both) => both.destroy()));
    });
    await new Promise<void>((done) => this.#proxy?.listen(0, "0.0.0.0", done));
  }

  async close(): Promise<void> {
    this.#proxy?.closeAllConnections();
    this.#proxy?.close();
    const ended = new Promise((resolve) => this.#registry?.once("exit", resolve));
    this.#registry?.kill("SIGKILL");
    await ended;
    await rm(this.#root, { recursive: true });
  }
}

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
}

const PROXY_LOGIN = "proxied:word-of-the-proxy";
