// A unique word for each place where a secret may enter an engine. If one is found, its name shows the place.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rawTar } from "../archives/tar.js";
import { until } from "../commands.js";
import type { EngineClient } from "../engine-client.js";
import type { MemoryRegistry } from "../registry/memory-registry.js";

export class Canaries {
  /** Must not be in any trace, record or log. */
  readonly secret: string[] = [];
  /** May be in traces, but not in shared ones. */
  readonly private: string[] = [];
  /** What a registry got as authorization, or in headers that were passed on or set for it. */
  readonly used = new Set<string>();

  ofSecret(place: string): string {
    return add(this.secret, place);
  }

  ofPrivate(place: string): string {
    return add(this.private, place);
  }
}

function add(to: string[], place: string): string {
  const canary = `c4nary-${to.length}-${place}.`;
  to.push(canary);
  return canary;
}

/** A header that a client passes on to the registry. */
const META = "x-meta-told";
/** A header that is set for a host in a `hosts.toml`. */
const SET = "x-set";
const HOSTED = "127.0.0.1:9";

export function encoded(auth: unknown): string {
  return Buffer.from(JSON.stringify(auth)).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}

/** All headers of a registry's answer may be secret. The repository decides which answer it gives. */
export function answerWithSecrets(canaries: Canaries, registry: MemoryRegistry): void {
  const say = (place: string): string => canaries.ofSecret(`registry-${place}`);
  const address = (place: string, path = `/elsewhere/${place}`): string => {
    const user = `${say(`${place}-user`)}:${say(`${place}-password`)}`;
    return `http://${user}@${registry.host}${path}?sig=${say(`${place}-query`)}#${say(`${place}-fragment`)}`;
  };
  const error = {
    code: address("code"),
    message: `see ${address("message")} or ${address("more")}`,
    detail: say("detail"),
  };
  const errors = JSON.stringify({ errors: [error, error] });
  const tokens = JSON.stringify({ token: say("token"), access_token: say("access"), refresh_token: say("refresh") });
  const location = address("location");
  const challenge = ["service", "scope", "error"].map((name) => `${name}="${say(name)}"`);
  const refused = { "WWW-Authenticate": `Bearer realm="${address("realm", "/token")}",${challenge.join()}` };
  const always = {
    "Set-Cookie": `a=${say("cookie")}`,
    Link: `<${address("link")}>; rel="next"`,
    "Retry-After": say("retry-after"),
    "Docker-Content-Digest": say("digest"),
    "Content-Type": `application/json; charset=${say("type")}`,
    ETag: say("etag"),
    "X-Anything": say("anything"),
  };
  const answers: [path: string, status: number, headers: Record<string, string>, body: string][] = [
    ["/token", 200, {}, tokens],
    ["/v2/moved/", 307, { Location: location }, ""],
    ["/v2/moved-away/", 307, { Location: location.replace("http:", "gopher:") }, ""],
    ["/v2/moved-nowhere/", 307, { Location: `http://[${location}` }, ""],
    ["/v2/wrong/", 500, {}, errors],
    ["/v2/gone/", 404, {}, errors],
    ["/v2/busy/", 429, {}, errors],
    ["/elsewhere/", 403, {}, errors],
    ["/v2/", 401, refused, errors],
  ];
  registry.fault(({ url = "", headers: got }, response) => {
    for (const name of ["authorization", META, SET]) canaries.used.add(String(got[name] ?? ""));
    const [, status, headers, body] = answers.find(([path]) => url.startsWith(path))!;
    response.writeHead(status, { ...always, ...headers }).end(body);
    return true;
  });
}

/** Everything that a client may send to an engine in confidence. */
export async function tellSecrets(canaries: Canaries, client: EngineClient, registry: string): Promise<void> {
  const say = (place: string): string => canaries.ofSecret(place);
  const behind = (place: string): string => `?sig=${say(`${place}-query`)}#${say(`${place}-fragment`)}`;
  const user = (place: string): string => `${say(`${place}-user`)}:${say(`${place}-password`)}@`;
  const auth = (serveraddress: string, place: string): Record<string, string> => ({
    ...{ username: say(`${place}-name`), password: say(`${place}-pw`), auth: say(`${place}-auth`), serveraddress },
    ...{ email: say(`${place}-email`), registrytoken: say(`${place}-registry-token`) },
  });
  const addresses = (place: string): string[] => [
    `http://${registry}/v2/${behind(`${place}-path`)}`,
    `http://${registry}${behind(`${place}-host`)}`,
    `http://${user(place)}${registry}/`,
    `${registry}/${user(`${place}-late`)}x`,
    `http://${say(`${place}-slash-user`)}:${say(`${place}-slash`)}/x@${registry}/`,
  ];
  /** With a token for the registry, or with a name and a password. */
  const forBuild = (address: string, at: number): Record<string, string> => {
    const { registrytoken = "", ...named } = auth(address, `build${at}`);
    return at % 2 === 0 ? { ...named, registrytoken } : named;
  };
  for (const [at, address] of addresses("login").entries()) {
    await client.call("POST", "/auth", auth(address, `login${at}`));
    const { registrytoken: _, ...others } = auth(address, `relogin${at}`);
    await client.call("POST", "/auth", { ...others, identitytoken: say(`identity${at}`) });
    await client.call("POST", "/auth", others);
  }
  for (const [at, repository] of ["moved", "moved-away", "moved-nowhere", "wrong", "gone", "busy", "app"].entries()) {
    const [address] = addresses(`pull${at}`) as [string];
    const headers = {
      "X-Registry-Auth": encoded(auth(address, `pull${at}`)),
      "X-Registry-Config": encoded({ [address]: forBuild(address, at) }),
      Authorization: `Bearer ${say(`bearer${at}`)}`,
      Cookie: say(`cookie${at}`),
      Referer: `http://x/${behind(`referer${at}`)}`,
      "X-Api-Key": say(`key${at}`),
      [META]: say(`meta${at}`),
    };
    const image = encodeURIComponent(`${registry}/${repository}`);
    await client.call("POST", `/images/create?fromImage=${image}&tag=1`, undefined, { headers });
    await client.call("POST", `/images/create?fromImage=${image}&tag=1&token=${say(`query${at}`)}`);
    await client.call("POST", "/build?remote=x", undefined, { headers });
    const context = rawTar([{ name: "Dockerfile", body: `FROM ${registry}/${repository}:1\n` }]);
    // The engine asks again where a registry fails, which takes seconds.
    if (repository !== "wrong") await client.call("POST", "/build", context, { headers });
    await client.call("GET", `/distribution/${image}/json`, undefined, { headers });
    await client.call("POST", `/images/${image}/push?tag=1`, undefined, { headers });
  }
  for (const name of ["fromSrc", "remote"]) {
    const address = encodeURIComponent(`http://${user(name)}x/${behind(name)}`);
    await client.call("POST", `/images/create?${name}=${address}`);
    await client.call("POST", `/build?${name}=${address}`);
  }
  await client.call("POST", `/images/create?fromImage=${encodeURIComponent(`${user("image")}${registry}/app`)}`);
  await client.call("POST", "/containers/create", { Image: `${user("create")}${registry}/app` });
  await client.call("POST", "/swarm/join", { JoinToken: say("swarm"), RemoteAddrs: ["a"] });
  await client.call("POST", "/secrets/create", { Name: "a", Data: say("data") });
}

/**
 * Sets a header for what stands for a registry where nobody listens, in the directory of certificates, and breaks the file
 * while the daemon runs. `reload`: makes the daemon read the settings again.
 */
export async function tellHeaders(
  canaries: Canaries,
  client: EngineClient,
  directory: string,
  registry: string,
  reload: () => void,
): Promise<void> {
  const file = join(directory, HOSTED, "hosts.toml");
  const good = `server = "http://${registry}"\nheader = { ${SET} = "${canaries.ofSecret("set-header")}" }\n`;
  const ask = async (): Promise<boolean> => {
    await client.call("POST", `/images/create?fromImage=${HOSTED}/gone&tag=1`);
    return [...canaries.used].some((used) => used.includes("set-header"));
  };
  mkdirSync(join(directory, HOSTED));
  writeFileSync(file, good);
  reload();
  await until("the settings of the registry", () => ask());
  // The parser's own messages quote the line and its neighbours.
  for (const broken of ["a = ", `a = "${canaries.ofSecret("set-late")}`, "[host", "a = 1"]) {
    writeFileSync(file, `${good}${broken}\n`);
    await ask();
    reload();
    await ask();
  }
}

/** Everything in an engine's history that only its owner should read. */
export async function tellPrivate(canaries: Canaries, client: EngineClient): Promise<void> {
  const say = (place: string): string => canaries.ofPrivate(place);
  const options = (place: string): Record<string, string> => ({
    type: say(`${place}-type`),
    o: `password=${say(place)}`,
  });
  const volume = { DriverConfig: { Name: "other", Options: options("mount") }, Labels: { a: say("mount-label") } };
  const config = {
    Cmd: ["-c", `echo ${say("cmd")} | tr a b; sleep 1000`],
    Entrypoint: ["sh"],
    Env: [`A=${say("env")}`],
    Labels: { a: say("label") },
    Healthcheck: { Test: ["CMD-SHELL", `echo ${say("test")}`], Interval: 1_000_000_000 },
    StopSignal: "SIGKILL",
  };
  const id = await client.running(config, "?name=told");
  for (const [at, exec] of [["echo", say("exec")], [say("no-such-program")]].entries()) {
    const body = { Cmd: exec, Env: [`A=${say(`exec-env${at}`)}`] };
    const made = await client.must(201, "POST", `/containers/${id}/exec`, body);
    await client.call("POST", `/exec/${made.json<{ Id: string }>().Id}/start`, { Detach: true });
  }
  await client.call("GET", `/containers/${id}/top`);
  const other = await client.create({ Entrypoint: [`/no/such/${say("entrypoint")}`], Cmd: [say("argument")] });
  await client.call("POST", `/containers/${other}/start`);
  const query = `container=${id}&repo=told&changes=${encodeURIComponent(`CMD echo ${say("changes")}`)}`;
  await client.must(201, "POST", `/commit?${query}`, { Cmd: [say("commit")], OnBuild: [`RUN ${say("on-build")}`] });
  const hosts = [
    { LogConfig: { Type: "json-file", Config: { tag: say("log-tag"), labels: say("log-labels") } } },
    { LogConfig: { Type: "splunk", Config: { "splunk-token": say("log-token") } } },
    { Mounts: [{ Type: "volume", Source: "a", Target: "/a", VolumeOptions: volume }] },
    { StorageOpt: { size: say("storage") }, Annotations: { a: say("annotation") } },
  ];
  for (const HostConfig of hosts) await client.call("POST", "/containers/create", { Image: "busybox", HostConfig });
  await client.call("POST", "/volumes/create", { Name: "b", DriverOpts: options("volume") });
  const ipam = { Driver: "default", Options: options("ipam") };
  const network = { Name: "b", Options: options("network"), IPAM: ipam, Labels: { a: say("network-label") } };
  await client.must(201, "POST", "/networks/create", network);
  const settings = { EndpointsConfig: { bridge: { DriverOpts: options("endpoint") } } };
  await client.call("POST", "/containers/create", { Image: "busybox", NetworkingConfig: settings });
  const service = {
    Name: "s",
    TaskTemplate: { ContainerSpec: { Image: "a", Command: [say("service")], Args: [say("args")] } },
  };
  await client.call("POST", "/services/create", service);
}
