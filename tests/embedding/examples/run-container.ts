// Runs a container and prints its output.

import { openEngine, simulatedHost } from "coracle-engine";

const engine = await openEngine({ host: simulatedHost() });
const body = JSON.stringify({ Image: "busybox", Cmd: ["echo", "hello from a container"], Tty: true });
const headers = { "content-type": "application/json" };
const created = await engine.fetch("/containers/create", { method: "POST", headers, body });
const { Id } = (await created.json()) as { Id: string };
await engine.fetch(`/containers/${Id}/start`, { method: "POST" });
const logs = await engine.fetch(`/containers/${Id}/logs?stdout=1&follow=1`);
console.log(await logs.text());
await engine.close();
