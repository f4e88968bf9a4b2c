// `Config`, the portable half of a container, as create reads it and inspect shows it (surface §6.5).

import { Field, FieldType, Table } from "../../json/table";

/** `Config.Healthcheck`; durations in nanoseconds. */
export const HEALTHCHECK: Table = new Table("HealthConfig", [
  new Field("Test", FieldType.Strings, null),
  new Field("Interval", FieldType.Int, null).typed("time.Duration"),
  new Field("Timeout", FieldType.Int, null).typed("time.Duration"),
  new Field("StartPeriod", FieldType.Int, null).typed("time.Duration"),
  new Field("StartInterval", FieldType.Int, null).typed("time.Duration").from(44),
  new Field("Retries", FieldType.Int, null).typed("int"),
]);

const EMPTY_OBJECT: string = "{}";

const OF_CLIENTS: string = "for clients; the attach request decides";

/** In the body of create, `HostConfig` and `NetworkingConfig` stand beside these fields: see `create-body.ts`. */
export const CONFIG: Table = new Table("ContainerConfigWrapper", [
  new Field("Hostname", FieldType.String, '""'),
  new Field("Domainname", FieldType.String, '""'),
  new Field("User", FieldType.String, '""'),
  new Field("AttachStdin", FieldType.Bool, "false").kept().says(OF_CLIENTS),
  new Field("AttachStdout", FieldType.Bool, "false").kept().says(OF_CLIENTS),
  new Field("AttachStderr", FieldType.Bool, "false").kept().says(OF_CLIENTS),
  new Field("ExposedPorts", FieldType.Set, null).mapped("nat.PortSet"),
  new Field("Tty", FieldType.Bool, "false"),
  new Field("OpenStdin", FieldType.Bool, "false"),
  new Field("StdinOnce", FieldType.Bool, "false"),
  new Field("Env", FieldType.Strings, "null"),
  new Field("Cmd", FieldType.Command, "null"),
  new Field("Healthcheck", FieldType.Struct, null).typed("container.HealthConfig").of(HEALTHCHECK).pointed(),
  new Field("ArgsEscaped", FieldType.Bool, null).kept().says("Windows only"),
  new Field("Image", FieldType.String, '""'),
  new Field("Volumes", FieldType.Set, "null"),
  new Field("WorkingDir", FieldType.String, '""'),
  new Field("Entrypoint", FieldType.Command, "null"),
  new Field("NetworkDisabled", FieldType.Bool, null),
  new Field("MacAddress", FieldType.String, null).upTo(51),
  new Field("OnBuild", FieldType.Strings, "null").kept().says("used by builds only"),
  new Field("Labels", FieldType.StringMap, EMPTY_OBJECT),
  new Field("StopSignal", FieldType.String, null),
  new Field("StopTimeout", FieldType.Int, null).typed("int").pointed(),
  new Field("Shell", FieldType.Command, null).kept(),
]);
