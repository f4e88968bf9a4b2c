// `HostConfig`: what a container needs from this machine (surface §2.14, §6.5).

import { Field, FieldType, Table } from "../../json/table";
import { MOUNT } from "../mounts/mount-table";

const LOG_CONFIG: Table = new Table("LogConfig", [
  // Log drivers that send logs elsewhere are not implemented; `create-body.ts` refuses them by name.
  // `output/log-options.ts` refuses a name that is not a driver of Docker's.
  new Field("Type", FieldType.String, '""').refused(['"json-file"', '"local"', '"none"']),
  new Field("Config", FieldType.StringMap, "{}").says("all options of `json-file` and `local`"),
]);

const PORT_BINDING: Table = new Table("PortBinding", [
  new Field("HostIp", FieldType.String, '""'),
  new Field("HostPort", FieldType.String, '""'),
]);

const RESTART_POLICY: Table = new Table("RestartPolicy", [
  new Field("Name", FieldType.String, '""').typed("container.RestartPolicyMode"),
  new Field("MaximumRetryCount", FieldType.Int, "0").typed("int"),
]);

const WEIGHT_DEVICE: Table = new Table("WeightDevice", [
  new Field("Path", FieldType.String, '""'),
  new Field("Weight", FieldType.UInt16, "0"),
]);

const THROTTLE_DEVICE: Table = new Table("ThrottleDevice", [
  new Field("Path", FieldType.String, '""'),
  new Field("Rate", FieldType.UInt64, "0"),
]);

const DEVICE: Table = new Table("DeviceMapping", [
  new Field("PathOnHost", FieldType.String, '""'),
  new Field("PathInContainer", FieldType.String, '""'),
  new Field("CgroupPermissions", FieldType.String, '""'),
]);

const ULIMIT: Table = new Table("Ulimit", [
  new Field("Name", FieldType.String, '""'),
  new Field("Hard", FieldType.Int, "0"),
  new Field("Soft", FieldType.Int, "0"),
]);

const DEVICE_REQUEST: Table = new Table("DeviceRequest", [
  new Field("Driver", FieldType.String, '""'),
  new Field("Count", FieldType.Int, "0").typed("int"),
  new Field("DeviceIDs", FieldType.Strings, "null"),
  new Field("Capabilities", FieldType.Raw, "null"),
  new Field("Options", FieldType.StringMap, "null"),
]);

const NO_NUMBER: string = "0";
const NO_TEXT: string = '""';
const NOTHING: string = "null";
const NO: string = "false";

const OF_WINDOWS: string = "Windows only";
const OF_V1: string = "cgroup v1";
const GIVEN_UP: string = "no longer supported by kernels";

export const HOST_CONFIG: Table = new Table("HostConfig", [
  new Field("Binds", FieldType.Strings, NOTHING),
  new Field("ContainerIDFile", FieldType.String, NO_TEXT).kept().says("written by the client"),
  new Field("LogConfig", FieldType.Struct, '{"Type":"","Config":{}}').typed("container.LogConfig").of(LOG_CONFIG),
  new Field("NetworkMode", FieldType.String, NO_TEXT)
    .typed("container.NetworkMode")
    .says("a network, `host`, `none`, `container:`"),
  new Field("PortBindings", FieldType.StructListMap, NOTHING)
    .typed("nat.PortBinding")
    .mapped("nat.PortMap")
    .of(PORT_BINDING)
    .says("`sctp` on IPv6 only to a container that has IPv6"),
  new Field("RestartPolicy", FieldType.Struct, '{"Name":"","MaximumRetryCount":0}')
    .typed("container.RestartPolicy")
    .of(RESTART_POLICY),
  new Field("AutoRemove", FieldType.Bool, NO),
  new Field("VolumeDriver", FieldType.String, NO_TEXT).says("only `local`"),
  new Field("VolumesFrom", FieldType.Strings, NOTHING),
  new Field("CapAdd", FieldType.Command, NOTHING),
  new Field("CapDrop", FieldType.Command, NOTHING),
  new Field("CgroupnsMode", FieldType.String, NO_TEXT).typed("container.CgroupnsMode").from(41),
  new Field("Dns", FieldType.Strings, NOTHING),
  new Field("DnsOptions", FieldType.Strings, NOTHING),
  new Field("DnsSearch", FieldType.Strings, NOTHING),
  new Field("ExtraHosts", FieldType.Strings, NOTHING),
  new Field("GroupAdd", FieldType.Strings, NOTHING),
  new Field("IpcMode", FieldType.String, NO_TEXT).typed("container.IpcMode").says("also `container:`"),
  new Field("Cgroup", FieldType.String, NO_TEXT).typed("container.CgroupSpec").kept(),
  new Field("Links", FieldType.Strings, NOTHING).says("on the default bridge"),
  new Field("OomScoreAdj", FieldType.Int, NO_NUMBER).typed("int"),
  new Field("PidMode", FieldType.String, NO_TEXT).typed("container.PidMode").says("`host`, `container:`"),
  new Field("Privileged", FieldType.Bool, NO),
  new Field("PublishAllPorts", FieldType.Bool, NO),
  new Field("ReadonlyRootfs", FieldType.Bool, NO),
  new Field("SecurityOpt", FieldType.Strings, NOTHING).says("labels and AppArmor profiles are refused"),
  new Field("StorageOpt", FieldType.StringMap, null).denied().says("as without quotas"),
  new Field("Tmpfs", FieldType.StringMap, null),
  new Field("UTSMode", FieldType.String, NO_TEXT).typed("container.UTSMode").says("`host`"),
  // There is no remapping of user namespaces, so every container uses the host's.
  new Field("UsernsMode", FieldType.String, NO_TEXT).typed("container.UsernsMode").refused(['"host"']),
  new Field("ShmSize", FieldType.Int, NO_NUMBER),
  new Field("Sysctls", FieldType.StringMap, null).says("those of an interface belong to its endpoint"),
  new Field("Runtime", FieldType.String, NO_TEXT),
  new Field("ConsoleSize", FieldType.Pair, "[0,0]").from(42),
  new Field("Annotations", FieldType.StringMap, null).from(43).says("commands to OCI runtimes are refused"),
  new Field("Isolation", FieldType.String, NO_TEXT)
    .typed("container.Isolation")
    .denied()
    .says("except `default`; " + OF_WINDOWS),
  new Field("CpuShares", FieldType.Int, NO_NUMBER),
  new Field("Memory", FieldType.Int, NO_NUMBER),
  new Field("NanoCpus", FieldType.Int, NO_NUMBER),
  new Field("CgroupParent", FieldType.String, NO_TEXT),
  new Field("BlkioWeight", FieldType.UInt16, NO_NUMBER),
  new Field("BlkioWeightDevice", FieldType.Structs, NOTHING).typed("*blkiodev.WeightDevice").of(WEIGHT_DEVICE),
  throttle("BlkioDeviceReadBps"),
  throttle("BlkioDeviceWriteBps"),
  throttle("BlkioDeviceReadIOps"),
  throttle("BlkioDeviceWriteIOps"),
  new Field("CpuPeriod", FieldType.Int, NO_NUMBER),
  new Field("CpuQuota", FieldType.Int, NO_NUMBER),
  new Field("CpuRealtimePeriod", FieldType.Int, NO_NUMBER).says(OF_V1),
  new Field("CpuRealtimeRuntime", FieldType.Int, NO_NUMBER).says(OF_V1),
  new Field("CpusetCpus", FieldType.String, NO_TEXT),
  new Field("CpusetMems", FieldType.String, NO_TEXT),
  new Field("Devices", FieldType.Structs, NOTHING).typed("container.DeviceMapping").of(DEVICE),
  new Field("DeviceCgroupRules", FieldType.Strings, NOTHING),
  new Field("DeviceRequests", FieldType.Structs, NOTHING)
    .typed("container.DeviceRequest")
    .of(DEVICE_REQUEST)
    .denied()
    .says("at the start: there are no device drivers"),
  new Field("KernelMemory", FieldType.Int, NO_NUMBER).upTo(41).kept().says(GIVEN_UP),
  new Field("KernelMemoryTCP", FieldType.Int, NO_NUMBER).upTo(51).kept().says(GIVEN_UP),
  new Field("MemoryReservation", FieldType.Int, NO_NUMBER),
  new Field("MemorySwap", FieldType.Int, NO_NUMBER),
  new Field("MemorySwappiness", FieldType.Int, NOTHING).pointed().says(OF_V1),
  new Field("OomKillDisable", FieldType.Bool, NO).says(OF_V1),
  new Field("PidsLimit", FieldType.Int, NOTHING).pointed(),
  new Field("Ulimits", FieldType.Structs, NOTHING).typed("*units.Ulimit").of(ULIMIT),
  new Field("CpuCount", FieldType.Int, NO_NUMBER).kept().says(OF_WINDOWS),
  new Field("CpuPercent", FieldType.Int, NO_NUMBER).kept().says(OF_WINDOWS),
  new Field("IOMaximumIOps", FieldType.UInt64, NO_NUMBER).refused().says(OF_WINDOWS),
  new Field("IOMaximumBandwidth", FieldType.UInt64, NO_NUMBER).refused().says(OF_WINDOWS),
  new Field("Mounts", FieldType.Structs, null).typed("mount.Mount").of(MOUNT),
  new Field("MaskedPaths", FieldType.Strings, NOTHING),
  new Field("ReadonlyPaths", FieldType.Strings, NOTHING),
  new Field("Init", FieldType.Bool, null).pointed(),
  // Exists in one API version only.
  new Field("Capabilities", FieldType.Strings, null).from(40).upTo(40).refused(),
  new Field("DiskQuota", FieldType.Int, null).upTo(25).refused(),
]);

function throttle(name: string): Field {
  return new Field(name, FieldType.Structs, NOTHING).typed("*blkiodev.ThrottleDevice").of(THROTTLE_DEVICE);
}
