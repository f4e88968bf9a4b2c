// The bodies of exec create and start, and the versions in which each field exists (surface §3).

import { Field, FieldType, Table } from "../json/table";

export const EXEC_CONFIG: Table = new Table("ExecOptions", [
  new Field("User", FieldType.String, '""'),
  new Field("Privileged", FieldType.Bool, "false"),
  new Field("Tty", FieldType.Bool, "false"),
  new Field("ConsoleSize", FieldType.Pair, null).from(42),
  new Field("AttachStdin", FieldType.Bool, "false"),
  new Field("AttachStderr", FieldType.Bool, "false"),
  new Field("AttachStdout", FieldType.Bool, "false"),
  new Field("DetachKeys", FieldType.String, '""'),
  new Field("Env", FieldType.Strings, "null"),
  new Field("WorkingDir", FieldType.String, '""'),
  new Field("Cmd", FieldType.Strings, "null"),
]);

export const EXEC_START: Table = new Table("ExecStartOptions", [
  new Field("Detach", FieldType.Bool, "false"),
  new Field("Tty", FieldType.Bool, "false"),
  new Field("ConsoleSize", FieldType.Pair, null).from(42),
]);
