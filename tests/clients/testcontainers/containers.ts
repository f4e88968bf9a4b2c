// The containers of the test cases, and what is read from them.
import { text } from "node:stream/consumers";
import { extract } from "tar-stream";
import {
  GenericContainer,
  getContainerRuntimeClient,
  Wait,
  type StartedTestContainer,
  type StoppedTestContainer,
} from "testcontainers";

/** Its result is compared as JSON. */
export type Story = (...args: string[]) => Promise<unknown>;

/** A busybox that runs a script and then sleeps. By default the library waits until it prints "ready". */
export function chatty(script: string): GenericContainer {
  return new GenericContainer("busybox")
    .withCommand(["sh", "-c", `${script}; exec sleep 1000`])
    .withWaitStrategy(Wait.forLogMessage("ready"));
}

export function webServer(): GenericContainer {
  return new GenericContainer("busybox")
    .withCopyContentToContainer([{ content: "served", target: "/www/page" }])
    .withCommand(["httpd", "-f", "-p", "8080", "-h", "/www"])
    .withExposedPorts(8080);
}

/** Stops a container and returns the rest of its log: a followed log ends with its container. */
export async function lastWords(container: StartedTestContainer, options: { tail?: number } = {}): Promise<string> {
  const log = await container.logs(options);
  const begun = new Promise((resolve) => log.once("readable", resolve));
  await begun;
  await container.stop();
  return text(log);
}

/** The message of an action that must fail. */
export async function failure(act: () => Promise<unknown>): Promise<string> {
  try {
    await act();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it did not fail");
}

/** Names and contents of a tar's files. */
export async function contents(archive: NodeJS.ReadableStream): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of archive.pipe(extract())) found.push(`${entry.header.name}: ${await text(entry)}`);
  return found;
}

export async function remove(stopped: StoppedTestContainer): Promise<void> {
  const { container } = await getContainerRuntimeClient();
  await container.remove(container.getById(stopped.getId()));
}
