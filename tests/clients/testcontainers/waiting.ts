// Waiting until a container is ready, in each way that the library supports.
import { text } from "node:stream/consumers";
import { GenericContainer, Wait } from "testcontainers";
import { chatty, failure, lastWords, webServer, type Story } from "./containers.js";

export const WAITING: Readonly<Record<string, Story>> = {
  /** By default it waits for the port, inside and outside. */
  async listening() {
    const container = await webServer().start();
    const read = async (port: number): Promise<string> => {
      return (await fetch(`http://${container.getHost()}:${port}/page`)).text();
    };
    const first = await read(container.getMappedPort(8080));
    await container.restart();
    const second = await read(container.getFirstMappedPort());
    await container.stop();
    return [first, second];
  },

  async http() {
    const strategy = Wait.forHttp("/page", 8080)
      .forStatusCode(200)
      .forResponsePredicate((body) => body === "served");
    const container = await webServer().withWaitStrategy(strategy).start();
    await container.stop();
    return "served";
  },

  async ports(number: string) {
    const fixed = { container: 81, host: Number(number) };
    const container = await chatty("echo ready").withExposedPorts(80, fixed, "53/udp").start();
    const [first, own] = [container.getFirstMappedPort(), container.getMappedPort(81)];
    const udp = container.getMappedPort("53/udp");
    await container.stop();
    return [first > 0, own === fixed.host, udp > 0];
  },

  async log() {
    const container = await chatty("for i in 1 2 3; do echo line $i; sleep 0.1; done")
      .withWaitStrategy(Wait.forLogMessage(/line \d/, 3))
      .start();
    return lastWords(container, { tail: 2 });
  },

  async "log that ends"() {
    const silent = new GenericContainer("busybox").withCommand(["echo", "other"]);
    return failure(() => silent.withWaitStrategy(Wait.forLogMessage("ready")).start());
  },

  async health() {
    const check = { test: ["CMD-SHELL", "test -e /well"] as ["CMD-SHELL", string], timeout: 5000, retries: 100 };
    const container = await chatty("sleep 0.2; touch /well")
      .withHealthCheck({ ...check, interval: 100 })
      .withWaitStrategy(Wait.forHealthCheck())
      .start();
    await container.stop();
    const ill = chatty("true").withHealthCheck({ test: ["CMD", "false"], interval: 100, retries: 1 });
    return failure(() => ill.withWaitStrategy(Wait.forHealthCheck()).start());
  },

  async command() {
    const made = Wait.forSuccessfulCommand("test -e /made");
    const container = await chatty("sleep 0.2; touch /made; echo ready")
      .withWaitStrategy(Wait.forAll([made, Wait.forLogMessage("ready")]))
      .start();
    await container.stop();
    const never = chatty("echo waiting").withStartupTimeout(500);
    return failure(() => never.withWaitStrategy(Wait.forSuccessfulCommand("test -e /nothing")).start());
  },

  async end() {
    const once = new GenericContainer("busybox").withWaitStrategy(Wait.forOneShotStartup());
    const container = await once.withCommand(["echo", "done"]).start();
    const log = await text(await container.logs());
    await container.stop();
    return [log, await failure(() => once.withCommand(["false"]).start())];
  },
};
