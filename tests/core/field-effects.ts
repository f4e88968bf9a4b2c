// For each field of a create body that the table says works: the test that sees what it does, by file and title. Files are
// below `tests`; each names the field.

type Case = readonly [file: string, title: string];

const LIMITS = "http/group-limits.test.ts";
const DEVICES = "http/limits.test.ts";
const HEALTH = "http/health.test.ts";
const MOUNTS = "http/mounts.test.ts";
const EFFECTS = "http/effects.test.ts";

const RATES: Case = [DEVICES, "rates and weights of block devices"];
const WEIGHTS: Case = [DEVICES, "weights of block devices"];
const CREATED: Case = [LIMITS, "created with %j"];
const OF_V1: Case = [DEVICES, "how readily it is swapped, and whether it is killed: cgroup v1 only"];
const REALTIME: Case = [DEVICES, "realtime, where groups can have some"];
const DEVICE: Case = [DEVICES, "devices of the machine, by another name, with fewer rights"];
const EACH_TYPE: Case = [MOUNTS, "mounts of each type"];
const BELOW: Case = [MOUNTS, "mounts below a bind: read-only with it, and seen when they come later"];
const IMAGE_DEFAULTS: Case = ["http/create.test.ts", "image defaults are merged by Docker's rules"];
const RESOLVER: Case = ["http/names.test.ts", "servers, where to search, and options"];
const ULIMITS: Case = [EFFECTS, "limits of processes: soft ones, hard ones, and none"];
const RESTARTS: Case = [
  "http/restart-policy.test.ts",
  "on-failure: so many times, with delays that double; no restart events",
];
const USER: Case = [EFFECTS, "user, group, working directory"];
const CAPABILITIES: Case = [EFFECTS, "capabilities"];
const PUBLISHED: Case = [
  "linux/datagrams.test.ts",
  "of both families, by an address of the machine and by the loopback ones",
];

export const FIELD_EFFECTS: Readonly<Record<string, Case>> = {
  "Config.Hostname": [EFFECTS, "/etc/hosts, /etc/hostname, /etc/resolv.conf"],
  "Config.Domainname": ["http/names.test.ts", "the kernel knows the domain"],
  "Config.User": USER,
  "Config.ExposedPorts": ["http/ports.test.ts", "everything exposed, under the names that ports have"],
  "Config.Tty": [EFFECTS, "terminal: TERM and a tty; without one, none"],
  "Config.OpenStdin": [
    "http/attach.test.ts",
    "stdin reaches the process, a half-close ends it, later output still comes",
  ],
  "Config.StdinOnce": ["http/attach.test.ts", "without StdinOnce a half-close ends the attach, not the container"],
  "Config.Env": ["http/create.test.ts", "the environment of the process comes in Docker's order"],
  "Config.Cmd": ["http/create.test.ts", "Path and Args are what runs"],
  "Config.Healthcheck": [HEALTH, "starting, then healthy, and unhealthy after as many failures as it may have"],
  "Config.Healthcheck.Test": [HEALTH, "one that cannot be started says why"],
  "Config.Healthcheck.Interval": [HEALTH, "StartInterval counts during the start period, from 1.44"],
  "Config.Healthcheck.Timeout": [HEALTH, "one that takes too long is ended"],
  "Config.Healthcheck.StartPeriod": [HEALTH, "failures of the start period are forgiven"],
  "Config.Healthcheck.StartInterval": [HEALTH, "StartInterval counts during the start period, from 1.44"],
  "Config.Healthcheck.Retries": [HEALTH, "starting, then healthy, and unhealthy after as many failures as it may have"],
  "Config.Image": ["http/create.test.ts", "images are found by short and full name, id and id prefix"],
  "Config.Volumes": [MOUNTS, "a volume without a name goes with the last container that has it"],
  "Config.WorkingDir": USER,
  "Config.Entrypoint": IMAGE_DEFAULTS,
  "Config.NetworkDisabled": [
    "http/endpoints.test.ts",
    "without a network there is the loopback interface alone, and nothing is told of one",
  ],
  "Config.MacAddress": ["http/endpoints.test.ts", "the container-wide hardware address is its interface's"],
  "Config.Labels": ["http/list.test.ts", "filters"],
  "Config.StopSignal": ["http/lifecycle.test.ts", "stop sends the signal, waits, then kills"],
  "Config.StopTimeout": [
    "http/lifecycle.test.ts",
    "stop: the container's StopTimeout, no such container, never started, bad t",
  ],

  "HostConfig.Binds": [EFFECTS, "binds: seen, written, read-only, made when missing"],
  "HostConfig.LogConfig": [
    "http/log-rotation.test.ts",
    "driver none: attached clients get everything, and logs are refused",
  ],
  "HostConfig.LogConfig.Config": [
    "http/log-rotation.test.ts",
    "a second run goes on in the same log, within the same bounds",
  ],
  "HostConfig.NetworkMode": [EFFECTS, "network none, host, bridge"],
  "HostConfig.PortBindings": PUBLISHED,
  "HostConfig.PortBindings.HostIp": ["linux/datagrams.test.ts", "on one family only"],
  "HostConfig.PortBindings.HostPort": PUBLISHED,
  "HostConfig.RestartPolicy": RESTARTS,
  "HostConfig.RestartPolicy.Name": RESTARTS,
  "HostConfig.RestartPolicy.MaximumRetryCount": RESTARTS,
  "HostConfig.AutoRemove": ["http/restart.test.ts", "a container that removes itself stays, until it ends by itself"],
  "HostConfig.VolumeDriver": ["http/lacking.test.ts", "drivers of volumes"],
  "HostConfig.VolumesFrom": [MOUNTS, "another container's mounts, writable or not"],
  "HostConfig.CapAdd": CAPABILITIES,
  "HostConfig.CapDrop": CAPABILITIES,
  "HostConfig.CgroupnsMode": [
    "http/namespaces.test.ts",
    "control groups are seen from the machine's root, or from one's own",
  ],
  "HostConfig.Dns": RESOLVER,
  "HostConfig.DnsOptions": RESOLVER,
  "HostConfig.DnsSearch": RESOLVER,
  "HostConfig.ExtraHosts": ["http/extra-hosts.test.ts", "on network %s"],
  "HostConfig.GroupAdd": USER,
  "HostConfig.IpcMode": [
    "http/namespaces.test.ts",
    "shared memory is private, shared with whoever wants, or not there at all",
  ],
  "HostConfig.Links": ["http/links.test.ts", "names and variables tell where the other is"],
  "HostConfig.OomScoreAdj": [EFFECTS, "limits"],
  "HostConfig.PidMode": ["http/namespaces.test.ts", "another container's processes are seen, and die with its first"],
  "HostConfig.Privileged": ["http/rights.test.ts", "privileged: all capabilities, nothing masked, no labels"],
  "HostConfig.PublishAllPorts": ["http/ports.test.ts", "everything exposed, under the names that ports have"],
  "HostConfig.ReadonlyRootfs": [EFFECTS, "masked and read-only paths, a read-only root"],
  "HostConfig.SecurityOpt": [EFFECTS, "seccomp, no-new-privileges"],
  "HostConfig.Tmpfs": ["http/tmpfs.test.ts", "%j"],
  "HostConfig.UTSMode": [EFFECTS, "namespaces: own pid 1, own host name, own mounts; host ones on request"],
  "HostConfig.ShmSize": ["http/tmpfs.test.ts", "shared memory of any size"],
  "HostConfig.Sysctls": [EFFECTS, "tmpfs and sysctls"],
  "HostConfig.Runtime": [EFFECTS, "the runtime that was asked for"],
  "HostConfig.ConsoleSize": [EFFECTS, "a terminal begins with the size that the client has"],
  "HostConfig.Annotations": ["http/rights.test.ts", "annotations that runtimes obey are not a client's"],
  "HostConfig.CpuShares": CREATED,
  "HostConfig.Memory": CREATED,
  "HostConfig.NanoCpus": CREATED,
  "HostConfig.CgroupParent": ["http/cgroup-parent.test.ts", "it is paused, limited, looked at and given back there"],
  "HostConfig.BlkioWeight": WEIGHTS,
  "HostConfig.BlkioWeightDevice": WEIGHTS,
  "HostConfig.BlkioWeightDevice.Path": WEIGHTS,
  "HostConfig.BlkioWeightDevice.Weight": WEIGHTS,
  ...rates("BlkioDeviceReadBps"),
  ...rates("BlkioDeviceWriteBps"),
  ...rates("BlkioDeviceReadIOps"),
  ...rates("BlkioDeviceWriteIOps"),
  "HostConfig.CpuPeriod": CREATED,
  "HostConfig.CpuQuota": CREATED,
  "HostConfig.CpuRealtimePeriod": REALTIME,
  "HostConfig.CpuRealtimeRuntime": REALTIME,
  "HostConfig.CpusetCpus": CREATED,
  "HostConfig.CpusetMems": CREATED,
  "HostConfig.Devices": DEVICE,
  "HostConfig.Devices.PathOnHost": DEVICE,
  "HostConfig.Devices.PathInContainer": DEVICE,
  "HostConfig.Devices.CgroupPermissions": DEVICE,
  "HostConfig.DeviceCgroupRules": [DEVICES, "rules for devices that a container makes itself"],
  "HostConfig.MemoryReservation": CREATED,
  "HostConfig.MemorySwap": CREATED,
  "HostConfig.MemorySwappiness": OF_V1,
  "HostConfig.OomKillDisable": OF_V1,
  "HostConfig.PidsLimit": CREATED,
  "HostConfig.Ulimits": ULIMITS,
  "HostConfig.Ulimits.Name": ULIMITS,
  "HostConfig.Ulimits.Hard": ULIMITS,
  "HostConfig.Ulimits.Soft": ULIMITS,
  "HostConfig.Mounts": EACH_TYPE,
  "HostConfig.Mounts.Type": EACH_TYPE,
  "HostConfig.Mounts.Source": EACH_TYPE,
  "HostConfig.Mounts.Target": EACH_TYPE,
  "HostConfig.Mounts.ReadOnly": EACH_TYPE,
  "HostConfig.Mounts.BindOptions": BELOW,
  "HostConfig.Mounts.BindOptions.Propagation": [MOUNTS, "mounts travel"],
  "HostConfig.Mounts.BindOptions.NonRecursive": BELOW,
  "HostConfig.Mounts.BindOptions.CreateMountpoint": [MOUNTS, "a directory is made for a mount that wants it"],
  "HostConfig.Mounts.BindOptions.ReadOnlyNonRecursive": BELOW,
  "HostConfig.Mounts.BindOptions.ReadOnlyForceRecursive": BELOW,
  "HostConfig.Mounts.VolumeOptions": EACH_TYPE,
  "HostConfig.Mounts.VolumeOptions.NoCopy": [
    MOUNTS,
    "an empty volume is filled with what the image has there, unless nobody wants it",
  ],
  "HostConfig.Mounts.VolumeOptions.Labels": EACH_TYPE,
  "HostConfig.Mounts.VolumeOptions.Subpath": [MOUNTS, "a directory of a volume, and nothing outside of it"],
  "HostConfig.Mounts.VolumeOptions.DriverConfig": [
    "http/lacking.test.ts",
    "mounts have no driver but their own, and clients are told so from 1.48 on",
  ],
  "HostConfig.Mounts.VolumeOptions.DriverConfig.Name": [
    "http/lacking.test.ts",
    "mounts have no driver but their own, and clients are told so from 1.48 on",
  ],
  "HostConfig.Mounts.TmpfsOptions": EACH_TYPE,
  "HostConfig.Mounts.TmpfsOptions.SizeBytes": EACH_TYPE,
  "HostConfig.Mounts.TmpfsOptions.Mode": EACH_TYPE,
  "HostConfig.Mounts.TmpfsOptions.Options": ["http/tmpfs.test.ts", "programs on it run if that is asked for"],
  "HostConfig.MaskedPaths": [
    "http/hidden-paths.test.ts",
    "files are empty, directories are, too; what is not there is passed over",
  ],
  "HostConfig.ReadonlyPaths": ["http/hidden-paths.test.ts", "what is below a read-only path cannot be written"],
  "HostConfig.Init": ["http/rights.test.ts", "an init is the first process, and ends as its program does"],

  "NetworkingConfig.EndpointsConfig": ["http/endpoints.test.ts", "an endpoint's sysctls are its interface's"],
  "NetworkingConfig.EndpointsConfig.*.MacAddress": [
    "http/endpoints.test.ts",
    "the container-wide hardware address is its interface's",
  ],
  "NetworkingConfig.EndpointsConfig.*.DriverOpts": [
    "http/endpoints.test.ts",
    "an endpoint's sysctls are its interface's",
  ],
};

function rates(field: string): Record<string, Case> {
  const paths = [field, `${field}.Path`, `${field}.Rate`];
  return Object.fromEntries(paths.map((path) => [`HostConfig.${path}`, RATES]));
}
