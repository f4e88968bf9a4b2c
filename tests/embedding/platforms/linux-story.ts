// A program that really runs containers, in its own process, and prints the results. Arguments: data root, exec root.

import { linuxHost, openEngine } from "coracle-engine";
import type { Engine } from "coracle-engine";

const [dataRoot = "", execRoot = ""] = process.argv.slice(2);
const JSON_TYPE = { "content-type": "application/json" };

let engine = await openEngine({ host: await linuxHost({ dataRoot, execRoot }) });
console.log(`a second one: ${await refusal()}`);
const first = await create(["sh", "-c", "echo hello from $HOSTNAME; exit 3"], "first");
const { readable } = await engine.connect(`/containers/${first}/attach?stream=1&stdout=1`, { method: "POST" });
await post(`/containers/${first}/start`);
console.log(`attached: ${(await new Response(readable).text()).trim()}`);
console.log(`waited: ${await text(await post(`/containers/${first}/wait`))}`);
await engine.fetch(`/containers/${first}`, { method: "DELETE" });

const sleeper = await create(["sleep", "1000"], "sleeper");
await post(`/containers/${sleeper}/start`);
const pid = await pidOf(engine, sleeper);
engine.crash();
await engine.reopen();
console.log(`after a crash: ${(await pidOf(engine, sleeper)) === pid ? "runs on" : "lost"}`);
await engine.close();

engine = await openEngine({ host: await linuxHost({ dataRoot, execRoot }) });
console.log(`after closing: ${(await pidOf(engine, sleeper)) === pid ? "runs on" : "lost"}`);
console.log(`removed: ${(await engine.fetch(`/containers/${sleeper}?force=1`, { method: "DELETE" })).status}`);
const info = (await (await engine.fetch("/info")).json()) as { DockerRootDir: string; Images: number };
console.log(`kept in ${info.DockerRootDir === dataRoot ? "its data root" : info.DockerRootDir}: ${info.Images} image`);
await engine.close();

async function create(Cmd: string[], Hostname: string): Promise<string> {
  const body = JSON.stringify({ Image: "busybox", Cmd, Hostname, Tty: true, HostConfig: { NetworkMode: "none" } });
  const response = await engine.fetch("/containers/create", { method: "POST", headers: JSON_TYPE, body });
  return ((await response.json()) as { Id: string }).Id;
}

function post(path: string): Promise<Response> {
  return engine.fetch(path, { method: "POST" });
}

async function text(response: Response): Promise<string> {
  return (await response.text()).trim();
}

async function pidOf(one: Engine, id: string): Promise<number> {
  const { State } = (await (await one.fetch(`/containers/${id}/json`)).json()) as { State: { Pid: number } };
  return State.Pid;
}

async function refusal(): Promise<string> {
  return linuxHost({ dataRoot, execRoot }).then(
    () => "opened",
    (error: Error) => error.message.replace(String(process.pid), "PID").replace(dataRoot, "DATA"),
  );
}
