// Makes the body of a create request from the words of a line.

/** The effect of each word. A `=` separates the word from its value: `job=200,3`. */
const WISHES: Readonly<Record<string, (body: Body, value: string) => void>> = {
  job: (body, value) => void (body.Cmd = ["job", ...value.split(",")]),
  command: (body, value) => void (body.Cmd = value.split(",")),
  net: (body, value) => void (body.HostConfig["NetworkMode"] = value),
  port: (body, value) => void (body.HostConfig["PortBindings"] = { "80/tcp": [{ HostPort: value }] }),
  auto: (body) => void (body.HostConfig["AutoRemove"] = true),
  tty: (body) => void (body["Tty"] = true),
  open: (body) => void (body["OpenStdin"] = true),
  stdin: (body) => Object.assign(body, { OpenStdin: true, StdinOnce: true, AttachStdin: true }),
  volume: (body) => void (body["Volumes"] = { "/data": {} }),
  named: (body) => void (body.HostConfig["Binds"] = ["data:/named"]),
  "memory-volume": (body) => void (body.HostConfig["Mounts"] = [inMemory("memory", "/memory")]),
  mount: (body, value) => void (body.HostConfig["Mounts"] = [{ Type: "bind", Source: value, Target: "/bound" }]),
  over: (body, value) => void (body.HostConfig["Binds"] = [`/etc:${value}`]),
  shared: (body, value) => void (body.HostConfig["VolumesFrom"] = [value]),
  joined: (body, value) => void (body.HostConfig["PidMode"] = `container:${value}`),
  within: (body, value) => void (body.HostConfig["NetworkMode"] = `container:${value}`),
  linked: (body, value) => void (body.HostConfig["Links"] = [`${value}:other`]),
  policy: (body, value) => void (body.HostConfig["RestartPolicy"] = policyOf(value)),
  healthy: (body, value) => void (body["Healthcheck"] = healthOf(value)),
  memory: (body, value) => void (body.HostConfig["Memory"] = Number(value) << 20),
  dir: (body, value) => void (body["WorkingDir"] = value),
  wordy: (body) => void (body["Labels"] = { is: "wordy ".repeat(1500) }),
  label: (body, value) => void (body["Labels"] = { is: value }),
};

interface Body extends Record<string, unknown> {
  Image: string;
  Cmd?: string[];
  HostConfig: Record<string, unknown>;
}

/** The body as JSON. Throws for an unknown word. */
export function containerBody(image: string, options: readonly string[]): string {
  const body: Body = { Image: image, HostConfig: { NetworkMode: "none" } };
  for (const option of options) {
    const [word = "", value = ""] = option.split(/=(.*)/, 2);
    const grant = WISHES[word];
    if (grant === undefined) throw new Error(`no such option: ${option}`);
    grant(body, value);
  }
  return JSON.stringify(body);
}

/** A volume that is a file system in memory. */
function inMemory(Source: string, Target: string): unknown {
  const Options = { type: "tmpfs", device: "tmpfs", o: "size=1m" };
  return { Type: "volume", Source, Target, VolumeOptions: { DriverConfig: { Name: "local", Options } } };
}

/** `always`, `unless-stopped`, `on-failure:2`. */
function policyOf(value: string): unknown {
  const [Name, count] = value.split(":");
  return count === undefined ? { Name } : { Name, MaximumRetryCount: Number(count) };
}

/**
 * `0.1.never,500,2,3000,200`: the exit codes of the probes in turn, or `never` for a probe that does not end by
 * itself; then interval, retries, start period and start interval, each optional.
 */
function healthOf(value: string): unknown {
  const [codes = "0", interval = "500", retries = "2", grace = "0", often = "0"] = value.split(",");
  const ns = (milliseconds: string): number => Number(milliseconds) * 1_000_000;
  return {
    ...{ Test: ["CMD", "probe", ...codes.split(".")], Timeout: ns("200") },
    ...{ Interval: ns(interval), Retries: Number(retries), StartPeriod: ns(grace), StartInterval: ns(often) },
  };
}
