// Options for starting a container.
import { Network } from "testcontainers";
import { chatty, type Story } from "./containers.js";

export const OPTIONS: Readonly<Record<string, Story>> = {
  async options() {
    const container = await chatty("echo ready")
      .withName("tc-options")
      .withEnvironment({ KEY: "value" })
      .withLabels({ of: "testcontainers" })
      .withHostname("inside")
      .withUser("12:34")
      .withWorkingDir("/tmp")
      .withTmpFs({ "/scratch": "rw,size=1m" })
      // No limit of open files: runc raises its own limit while it starts, and under load an exec of the reference
      // inherits that.
      .withUlimits({ memlock: { hard: 77 << 10, soft: 66 << 10 } })
      .withExtraHosts([{ host: "elsewhere", ipAddress: "10.11.12.13" }])
      .withResourcesQuota({ memory: 0.0625, cpu: 0.5 })
      .withSharedMemorySize(1 << 20)
      .withDroppedCapabilities("CHOWN")
      .withSecurityOpt("no-new-privileges")
      .withDefaultLogDriver()
      .withIpcMode("private")
      .start();
    const own = "echo $KEY; hostname; id -u; id -g; pwd; ulimit -l";
    const shown = `${own}; grep -c '^tmpfs /scratch' /proc/mounts; grep elsewhere /etc/hosts`;
    const { output } = await container.exec(["sh", "-c", shown]);
    const [network = ""] = container.getNetworkNames();
    const about = [container.getName(), container.getLabels()["of"], container.getHostname(), network];
    const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(container.getIpAddress(network));
    await container.stop();
    return [output.trim().split("\n"), about, isAddress];
  },

  async bind(directory: string) {
    const container = await chatty("echo ready")
      .withBindMounts([{ source: directory, target: "/bound", mode: "ro" }])
      .start();
    const { output } = await container.exec(["sh", "-c", "cat /bound/file; touch /bound/x 2> /dev/null; echo $?"]);
    await container.stop();
    return output;
  },

  async "network modes"() {
    const owner = await chatty("echo ready").withHostname("owners").start();
    const joined = await chatty("echo ready").withNetworkMode(`container:${owner.getId()}`).start();
    const none = await chatty("echo ready").withNetworkMode("none").start();
    const told = [(await joined.exec("hostname")).output, (await none.exec("ls /sys/class/net")).output];
    await Promise.all([joined.stop(), none.stop()]);
    await owner.stop();
    return told;
  },

  async networks() {
    const network = await new Network().start();
    const peer = await chatty("echo ready").withNetwork(network).withNetworkAliases("peer").start();
    const other = await chatty("echo ready").withNetwork(network).start();
    const { exitCode } = await other.exec("ping -c 1 peer");
    await Promise.all([peer.stop(), other.stop()]);
    await network.stop();
    return exitCode;
  },
};
