// What is done with a container once it is ready.
import { Readable } from "node:stream";
import { GenericContainer, getContainerRuntimeClient, Network, PullPolicy, Wait } from "testcontainers";
import { tarOf } from "../../support/archives/images.js";
import { chatty, contents, failure, lastWords, remove, type Story } from "./containers.js";

export const USING: Readonly<Record<string, Story>> = {
  async exec() {
    const container = await chatty("echo ready").start();
    const plain = await container.exec("echo plain");
    const script = "echo out; echo err >&2; echo $SAID; pwd; id -u; exit 3";
    const options = { workingDir: "/tmp", user: "nobody", env: { SAID: "so" } };
    const whole = await container.exec(["sh", "-c", script], options);
    const missing = await container.exec(["nothing-here"]);
    await container.stop();
    return [plain.output, whole.stdout, whole.stderr, whole.exitCode, missing.exitCode];
  },

  async copies(directory: string) {
    const tar = Readable.from(await tarOf([{ name: "packed", body: "from a tar\n" }]));
    const container = await chatty("cat /in/content; echo ready")
      .withCopyFilesToContainer([{ source: `${directory}/file`, target: "/in/file", mode: 0o600 }])
      .withCopyDirectoriesToContainer([{ source: `${directory}/folder`, target: "/in/folder" }])
      .withCopyContentToContainer([{ content: "by text\n", target: "/in/content" }])
      .withCopyArchivesToContainer([{ tar, target: "/tmp" }])
      .start();
    await container.copyContentToContainer([{ content: "later\n", target: "/in/later" }]);
    await container.copyFilesToContainer([{ source: `${directory}/file`, target: "/in/again" }]);
    await container.copyDirectoriesToContainer([{ source: `${directory}/folder`, target: "/in/twice" }]);
    const files = "content file folder/inner later again twice/inner".split(" ").map((name) => `/in/${name}`);
    const { output } = await container.exec(["sh", "-c", `stat -c %a /in/file; cat /tmp/packed ${files.join(" ")}`]);
    const fetched = await contents(await container.copyArchiveFromContainer("/in/folder"));
    const stopped = await container.stop({ remove: false });
    const afterwards = await contents(await stopped.copyArchiveFromContainer("/in/later"));
    await remove(stopped);
    return [output.split("\n"), fetched, afterwards];
  },

  async build(directory: string, how: string) {
    const file = GenericContainer.fromDockerfile(directory).withBuildArgs({ A: "given" });
    const image = await (how === "BuildKit" ? file.withBuildkit() : file).build("tc:built");
    const container = await image.withWaitStrategy(Wait.forLogMessage("ready")).start();
    const { output } = await container.exec(["cat", "/made"]);
    await container.stop();
    return output;
  },

  async logs() {
    let heard = "";
    const container = await chatty("echo one; echo two; echo ready")
      .withLogConsumer((stream) => stream.on("data", (chunk: string) => (heard += chunk)))
      .start();
    return [await lastWords(container), heard];
  },

  async restart() {
    const container = await chatty("echo run >> /runs; echo ready").start();
    await container.restart({ timeout: 0 });
    const { output } = await container.exec("cat /runs");
    await container.stop();
    return output;
  },

  async reuse() {
    const reusable = (): GenericContainer => chatty("echo ready").withLabels({ kept: "yes" }).withReuse();
    const first = await reusable().start();
    const second = await reusable().start();
    const third = await reusable().start();
    const { exitCode } = await third.exec("true");
    await first.stop();
    return [second.getId() === first.getId(), third.getId() === first.getId(), exitCode];
  },

  /** Leaves a container and its network to the reaper. */
  async left() {
    const network = await new Network().start();
    const client = await getContainerRuntimeClient();
    const container = await chatty("echo ready").withNetwork(network).start();
    const all = await client.container.list();
    const state = (name: string): string | undefined => all.find(({ Names }) => Names[0]?.includes(name))?.State;
    return { status: state(container.getName().slice(1)), ryuk: state("ryuk") };
  },

  async commit() {
    const container = await chatty("echo ready").start();
    await container.copyContentToContainer([{ content: "kept\n", target: "/kept" }]);
    const changes = ['CMD ["sh", "-c", "cat /kept; echo $MADE; sleep 1000"]', "ENV MADE=here"];
    const image = await container.commit({ repo: "tc", tag: "made", changes, deleteOnExit: false });
    await container.stop();
    const made = await new GenericContainer("tc:made").withWaitStrategy(Wait.forLogMessage("here")).start();
    return [image.startsWith("sha256:"), await lastWords(made)];
  },

  async pull(image: string) {
    const pulled = (name: string): GenericContainer => {
      return new GenericContainer(name).withWaitStrategy(Wait.forLogMessage("pulled"));
    };
    const container = await pulled(image).withPullPolicy(PullPolicy.alwaysPull()).start();
    await container.stop();
    return failure(() => pulled(`${image}-not`).start());
  },
};
