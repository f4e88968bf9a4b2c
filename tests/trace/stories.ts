// The events in the life of the recorded engines of these tests.

import type { Observer } from "../../hosts/driver/observer.js";
import { settle } from "../driver/fake.js";
import { TOKEN, type RecordedEngine } from "./engine.js";

/** Secrets of `AUTH`, and other secrets that clients send. */
export const SECRETS = [
  "correct-horse-ÿ-battery",
  "jane.the.user",
  "refresh/token+of/jane",
  "bearer-of-the-proxy",
  TOKEN,
  "SWMTKN-1-of-the-swarm",
  "pass/word-of-an-address",
  "token ÿ/of+a query",
  "signature-of.a/registry",
];
const [PASSWORD, USER, REFRESH, BEARER, , SWARM, OF_ADDRESS, OF_QUERY, OF_REGISTRY] = SECRETS as [string, ...string[]] &
  string[];

export const AUTH = {
  username: USER,
  password: PASSWORD,
  identitytoken: REFRESH,
  serveraddress: "registry.example:5000",
};

export function registryAuth(auth: unknown): string {
  return Buffer.from(JSON.stringify(auth)).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}

/** Create, start, the end of a process, a pull with credentials, a login, a trap, a cut and another driver. */
export async function live(engine: RecordedEngine): Promise<void> {
  await engine.open();
  const created = await create(engine, "web");
  await engine.ask({ method: "POST", target: `/v1.41/containers/${created}/start` });
  await engine.ask({ method: "GET", target: "/v1.41/containers/json?all=1" });
  await engine.ask({ method: "POST", target: "/containers/web/kill" });
  await engine.ask({ method: "GET", target: `/containers/${created}/json` });
  const headers = {
    "X-Registry-Auth": registryAuth(AUTH),
    "x-registry-config": registryAuth({ "registry.example:5000": AUTH }),
    Authorization: `Bearer ${BEARER}`,
  };
  await engine.ask({ method: "POST", target: "/images/create?fromImage=app&tag=1", headers });
  await engine.ask({ method: "POST", target: "/v1.41/auth", body: AUTH });
  await engine.ask({ method: "POST", target: "/auth", body: `{"username":"${USER}","password":"${PASSWORD}` });
  await engine.ask({ method: "POST", target: "/auth", body: { ...AUTH, serveraddress: `https://${USER}:pw@host/` } });
  for (const serveraddress of [
    `https://host/v2/?sig=${OF_REGISTRY}`,
    `host?sig=${OF_REGISTRY}`,
    `host/#${OF_REGISTRY}`,
  ]) {
    await engine.ask({ method: "POST", target: "/auth", body: { ...AUTH, serveraddress } });
    const others = { "X-Registry-Auth": registryAuth({ ...AUTH, serveraddress }) };
    await engine.ask({ method: "POST", target: "/images/create?fromImage=app&tag=1", headers: others });
  }
  const ListenAddr = "a";
  const join = { ListenAddr, JoinToken: SWARM, RemoteAddrs: ["a"] };
  await engine.ask({ method: "POST", target: "/v1.41/swarm/join", body: join });
  const Spec = { Name: "default", CAConfig: { SigningCAKey: SWARM } };
  await engine.ask({ method: "POST", target: "/v1.41/swarm/init", body: { ListenAddr, Spec } });
  await engine.ask({ method: "POST", target: "/plugins/x/set", body: [`TOKEN=${SWARM}`] });
  const address = encodeURIComponent(`https://${USER}:${OF_ADDRESS}@files.example/x.tar`);
  await engine.ask({ method: "POST", target: `/images/create?fromSrc=${address}` });
  const image = encodeURIComponent(`${USER}:${OF_ADDRESS}@files.example/app`);
  await engine.ask({ method: "POST", target: `/images/create?fromImage=${image}` });
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  await engine.ask({ method: "POST", target: "/images/create", headers: form, body: `fromImage=${image}&tag=1` });
  await engine.ask({ method: "POST", target: "/images/create", headers: form, body: `fromSrc=${address}` });
  await engine.ask({ method: "POST", target: `/images/busybox/tag?repo=${image}` });
  await engine.ask({ method: "POST", target: "/containers/create", body: { Image: decodeURIComponent(image) } });
  await engine.ask({ method: "POST", target: "/build", headers: { "X-Registry-Config": registryAuth({ r: AUTH }) } });
  await engine.ask({ method: "GET", target: "/nowhere" });
  // Unknown parameters: a request with a streamed answer, one that is redirected, one that is refused.
  const query = `access_token=${encodeURIComponent(OF_QUERY!)}`;
  engine.send({ method: "GET", target: `/events?${query}` });
  await engine.ask({ method: "GET", target: `//info?${query}` });
  await engine.ask({ method: "GET", target: `/containers/json?limit=x&token=${OF_QUERY}` });
  engine.send({ method: "POST", target: "/containers/web/wait" });
  await engine.ask({ method: "GET", target: "/trap" });
  await engine.ask({ method: "GET", target: "/_ping" });
  engine.driver.cut();
  await settle();
  await engine.open();
  await engine.ask({ method: "DELETE", target: "/containers/web?force=1" });
}

export async function create(engine: RecordedEngine, name: string): Promise<string> {
  const body = { Image: "busybox", Env: ["A=1"] };
  const { status, text } = await engine.ask({ method: "POST", target: `/v1.41/containers/create?name=${name}`, body });
  if (status !== 201) throw new Error(`${status} ${text}`);
  return (JSON.parse(text) as { Id: string }).Id;
}

/**
 * More events than the core keeps in memory, and a client that reads all of them this many times, each time from the
 * journal.
 */
export async function readAgain(engine: RecordedEngine, times: number, observer?: Observer): Promise<void> {
  await engine.open(observer);
  const id = await create(engine, "renamed");
  for (let turn = 0; turn < 300; turn++)
    await engine.ask({ method: "POST", target: `/containers/${id}/rename?name=renamed-${turn}` });
  for (let turn = 0; turn < times; turn++)
    await engine.askToTheEnd({ method: "GET", target: "/events?since=0&until=1" });
}
