// For each field of a create body that works according to the table: the test of its effect, by file and title. Files
// are below `tests`; each contains the field's name.

type Case = readonly [file: string, title: string];

const LIMITS = "http/group-limits.test.ts";
const DEVICES = "http/limits.test.ts";
const HEALTH = "http/health.test.ts";
const MOUNTS = "http/mounts.test.ts";
const EFFECTS = "http/effects.test.ts";
const IMAGES: Case = [
  "http/images/image-mounts.test.ts",
  "an image is mounted read-only, and cannot be removed meanwhile",
];

const FIXED_ADDRESS: Case = [
  "http/own-networks.test.ts",
  "fixed addresses are had once, and only in subnets that a client gave",
];
const RATES: Case = [DEVICES, "rates and weights of block devices"];
const WEIGHTS: Case = [DEVICES, "weights of block devices"];
const CREATED: Case = [LIMITS, "created with %j"];
const OF_V1: Case = [DEVICES, "swappiness and the OOM killer: cgroup v1 only"];
const REALTIME: Case = [DEVICES, "realtime, if cgroups support it"];
const DEVICE: Case = [DEVICES, "devices of the machine, by another name, with fewer rights"];
const EACH_TYPE: Case = [MOUNTS, "mounts of each type"];
const BELOW: Case = [MOUNTS, "mounts below a bind: read-only with it, and visible when they are added later"];
const IMAGE_DEFAULTS: Case = ["http/create.test.ts", "image defaults are merged by Docker's rules"];
const RESOLVER: Case = ["http/names.test.ts", "DNS servers, search domains and options"];
const ULIMITS: Case = [EFFECTS, "limits of processes: soft ones, hard ones, and none"];
const RESTARTS: Case = [
  "http/restart-policy.test.ts",
  "on-failure: a limited number of times, with doubling delays; no restart events",
];
const USER: Case = [EFFECTS, "user, group, working directory"];
const CAPABILITIES: Case = [EFFECTS, "capabilities"];
const PUBLISHED: Case = [
  "linux/datagrams.test.ts",
  "of both families, at an address of the machine and at the loopback addresses",
];

export const FIELD_EFFECTS: Readonly<Record<string, Case>> = {
  "Config.Hostname": [EFFECTS, "/etc/hosts, /etc/hostname, /etc/resolv.conf"],
  "Config.Domainname": ["http/names.test.ts", "the kernel knows the domain"],
  "Config.User": USER,
  "Config.ExposedPorts": ["http/ports.test.ts", "all exposed ports, by their names"],
  "Config.Tty": [EFFECTS, "terminal: TERM and a tty; without one, none"],
  "Config.OpenStdin": [
    "http/attach.test.ts",
    "stdin reaches the process, a half-close ends it, later output still arrives",
  ],
  "Config.StdinOnce": ["http/attach.test.ts", "without StdinOnce a half-close ends the attach, not the container"],
  "Config.Env": ["http/create.test.ts", "the environment of the process comes in Docker's order"],
  "Config.Cmd": ["http/create.test.ts", "Path and Args are the command that runs"],
  "Config.Healthcheck": [HEALTH, "starting, then healthy, and unhealthy after the allowed number of failures"],
  "Config.Healthcheck.Test": [HEALTH, "a check that cannot be started gives the reason"],
  "Config.Healthcheck.Interval": [HEALTH, "StartInterval counts during the start period, from 1.44"],
  "Config.Healthcheck.Timeout": [HEALTH, "a check that takes too long is killed"],
  "Config.Healthcheck.StartPeriod": [HEALTH, "failures during the start period do not count"],
  "Config.Healthcheck.StartInterval": [HEALTH, "StartInterval counts during the start period, from 1.44"],
  "Config.Healthcheck.Retries": [HEALTH, "starting, then healthy, and unhealthy after the allowed number of failures"],
  "Config.Image": ["http/create.test.ts", "images are found by short and full name, id and id prefix"],
  "Config.Volumes": [MOUNTS, "an anonymous volume is removed with the last container that uses it"],
  "Config.WorkingDir": USER,
  "Config.Entrypoint": IMAGE_DEFAULTS,
  "Config.NetworkDisabled": [
    "http/endpoints.test.ts",
    "without a network there is only the loopback interface, and inspect shows no network",
  ],
  "Config.MacAddress": ["http/endpoints.test.ts", "the container-wide hardware address is its interface's"],
  "Config.Labels": ["http/list.test.ts", "filters"],
  "Config.StopSignal": ["http/lifecycle.test.ts", "stop sends the signal, waits, then kills"],
  "Config.StopTimeout": [
    "http/lifecycle.test.ts",
    "stop: the container's StopTimeout, no such container, never started, bad t",
  ],

  "HostConfig.Binds": [EFFECTS, "binds: visible, writable, read-only, created if missing"],
  "HostConfig.LogConfig": [
    "http/log-rotation.test.ts",
    "driver none: attached clients get everything, and logs are refused",
  ],
  "HostConfig.LogConfig.Config": [
    "http/log-rotation.test.ts",
    "a second run continues the same log, within the same limits",
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
    "cgroups are seen from the machine's root, or from the container's own",
  ],
  "HostConfig.Dns": RESOLVER,
  "HostConfig.DnsOptions": RESOLVER,
  "HostConfig.DnsSearch": RESOLVER,
  "HostConfig.ExtraHosts": ["http/extra-hosts.test.ts", "on network %s"],
  "HostConfig.GroupAdd": USER,
  "HostConfig.IpcMode": ["http/namespaces.test.ts", "shared memory is private, shareable, or missing"],
  "HostConfig.Links": ["http/links.test.ts", "names and variables lead to the other container"],
  "HostConfig.OomScoreAdj": [EFFECTS, "limits"],
  "HostConfig.PidMode": [
    "http/namespaces.test.ts",
    "another container's processes are visible, and die with its first process",
  ],
  "HostConfig.Privileged": ["http/rights.test.ts", "privileged: all capabilities, nothing masked, no labels"],
  "HostConfig.PublishAllPorts": ["http/ports.test.ts", "all exposed ports, by their names"],
  "HostConfig.ReadonlyRootfs": [EFFECTS, "masked and read-only paths, a read-only root"],
  "HostConfig.SecurityOpt": [EFFECTS, "seccomp, no-new-privileges"],
  "HostConfig.Tmpfs": ["http/tmpfs.test.ts", "%j"],
  "HostConfig.UTSMode": [EFFECTS, "namespaces: own pid 1, own host name, own mounts; host ones on request"],
  "HostConfig.ShmSize": ["http/tmpfs.test.ts", "shared memory of any size"],
  "HostConfig.Sysctls": [EFFECTS, "tmpfs and sysctls"],
  "HostConfig.Runtime": [EFFECTS, "the requested runtime"],
  "HostConfig.ConsoleSize": [EFFECTS, "a terminal starts with the client's size"],
  "HostConfig.Annotations": ["http/rights.test.ts", "clients cannot set annotations that control runtimes"],
  "HostConfig.CpuShares": CREATED,
  "HostConfig.Memory": CREATED,
  "HostConfig.NanoCpus": CREATED,
  "HostConfig.CgroupParent": [
    "http/cgroup-parent.test.ts",
    "a container is paused, limited, measured and removed there",
  ],
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
  "HostConfig.DeviceCgroupRules": [DEVICES, "rules for devices that a container creates itself"],
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
  "HostConfig.Mounts.BindOptions.Propagation": [MOUNTS, "mounts propagate"],
  "HostConfig.Mounts.BindOptions.NonRecursive": BELOW,
  "HostConfig.Mounts.BindOptions.CreateMountpoint": [MOUNTS, "a directory is made for a mount that wants it"],
  "HostConfig.Mounts.BindOptions.ReadOnlyNonRecursive": BELOW,
  "HostConfig.Mounts.BindOptions.ReadOnlyForceRecursive": BELOW,
  "HostConfig.Mounts.VolumeOptions": EACH_TYPE,
  "HostConfig.Mounts.VolumeOptions.NoCopy": [
    MOUNTS,
    "an empty volume is filled with the image's files, unless the client disables it",
  ],
  "HostConfig.Mounts.VolumeOptions.Labels": EACH_TYPE,
  "HostConfig.Mounts.VolumeOptions.Subpath": [MOUNTS, "a directory of a volume, and nothing outside of it"],
  "HostConfig.Mounts.ImageOptions": IMAGES,
  "HostConfig.Mounts.ImageOptions.Subpath": IMAGES,
  "HostConfig.Mounts.VolumeOptions.DriverConfig": [
    "http/lacking.test.ts",
    "mounts have only their built-in driver, and clients are told so from 1.48 on",
  ],
  "HostConfig.Mounts.VolumeOptions.DriverConfig.Name": [
    "http/lacking.test.ts",
    "mounts have only their built-in driver, and clients are told so from 1.48 on",
  ],
  "HostConfig.Mounts.VolumeOptions.DriverConfig.Options": [
    "http/volume-options.test.ts",
    "in the mounts of a container apply if the volume does not exist yet",
  ],
  "HostConfig.Mounts.TmpfsOptions": EACH_TYPE,
  "HostConfig.Mounts.TmpfsOptions.SizeBytes": EACH_TYPE,
  "HostConfig.Mounts.TmpfsOptions.Mode": EACH_TYPE,
  "HostConfig.Mounts.TmpfsOptions.Options": ["http/tmpfs.test.ts", "programs on it run if exec is given"],
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
  "NetworkingConfig.EndpointsConfig.*.Links": [
    "linux/networks/endpoint-options.test.ts",
    "a link is a name that only the linking container has",
  ],
  "NetworkingConfig.EndpointsConfig.*.Aliases": [
    "linux/networks/names.test.ts",
    "containers find each other by name, alias, short id and host name, and the name of an address",
  ],
  "NetworkingConfig.EndpointsConfig.*.GwPriority": [
    "linux/networks/several-networks.test.ts",
    "the default route leads to the network of the highest priority, also when it changes",
  ],
  "NetworkingConfig.EndpointsConfig.*.IPAMConfig": FIXED_ADDRESS,
  "NetworkingConfig.EndpointsConfig.*.IPAMConfig.IPv4Address": FIXED_ADDRESS,
  "NetworkingConfig.EndpointsConfig.*.IPAMConfig.IPv6Address": [
    "http/networks/ipv6.test.ts",
    "a container has addresses of both families, of its own choice or the lowest ones that are free",
  ],
  "NetworkingConfig.EndpointsConfig.*.IPAMConfig.LinkLocalIPs": [
    "linux/networks/endpoint-options.test.ts",
    "link-local addresses are beside the other one",
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
