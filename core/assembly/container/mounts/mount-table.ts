// An entry of `HostConfig.Mounts` (surface §2.14; versions: §3).

import { Field, FieldType, Table } from "../../json/table";

const BIND_OPTIONS: Table = new Table("BindOptions", [
  new Field("Propagation", FieldType.String, null).typed("mount.Propagation"),
  new Field("NonRecursive", FieldType.Bool, null).from(40),
  new Field("CreateMountpoint", FieldType.Bool, null).from(42),
  new Field("ReadOnlyNonRecursive", FieldType.Bool, null).from(44),
  new Field("ReadOnlyForceRecursive", FieldType.Bool, null),
]);

const DRIVER: Table = new Table("Driver", [
  new Field("Name", FieldType.String, null).says("`local`"),
  new Field("Options", FieldType.StringMap, null),
]);

const VOLUME_OPTIONS: Table = new Table("VolumeOptions", [
  new Field("NoCopy", FieldType.Bool, null),
  new Field("Labels", FieldType.StringMap, null),
  new Field("Subpath", FieldType.String, null),
  new Field("DriverConfig", FieldType.Struct, null).typed("mount.Driver").pointed().of(DRIVER),
]);

const IMAGE_OPTIONS: Table = new Table("ImageOptions", [new Field("Subpath", FieldType.String, null)]);

const TMPFS_OPTIONS: Table = new Table("TmpfsOptions", [
  new Field("SizeBytes", FieldType.Int, null),
  new Field("Mode", FieldType.Int, null).typed("os.FileMode"),
  new Field("Options", FieldType.Raw, null),
]);

export const MOUNT: Table = new Table("Mount", [
  new Field("Type", FieldType.String, null)
    .typed("mount.Type")
    .says("`bind`, `volume`, `tmpfs`, `image`; `cluster` is refused"),
  new Field("Source", FieldType.String, null),
  new Field("Target", FieldType.String, null),
  new Field("ReadOnly", FieldType.Bool, null),
  new Field("Consistency", FieldType.String, null).typed("mount.Consistency").kept(),
  new Field("BindOptions", FieldType.Struct, null).typed("mount.BindOptions").pointed().of(BIND_OPTIONS),
  new Field("VolumeOptions", FieldType.Struct, null).typed("mount.VolumeOptions").pointed().of(VOLUME_OPTIONS),
  new Field("ImageOptions", FieldType.Struct, null).typed("mount.ImageOptions").from(48).pointed().of(IMAGE_OPTIONS),
  new Field("TmpfsOptions", FieldType.Struct, null).typed("mount.TmpfsOptions").pointed().of(TMPFS_OPTIONS),
  new Field("ClusterOptions", FieldType.Struct, null)
    .typed("mount.ClusterOptions")
    .from(42)
    .pointed()
    .of(new Table("ClusterOptions", []))
    .refused(),
]);
