// Messages of `moby.filesync.v1.FileSync` (tonistiigi/fsutil, types/stat.proto and types/wire.proto).

import { map, one, type Message } from "./field.js";

/** What a file is. Its mode is as Go writes it. */
export const stat: Message = {
  path: one(1),
  mode: one(2, "uint32"),
  uid: one(3, "uint32"),
  gid: one(4, "uint32"),
  size: one(5, "int64"),
  modTime: one(6, "int64"),
  linkname: one(7),
  devmajor: one(8, "int64"),
  devminor: one(9, "int64"),
  xattrs: map(10, "raw"),
};

/** One message in either direction. Absent `stat` in one of the kind `STAT`: the list of files is complete. */
export const packet: Message = {
  type: one(1, "int32"),
  stat: one(2, () => stat),
  ID: one(3, "uint32"),
  data: one(4, "raw"),
};

/** Kinds of packets. */
export const STAT = 0;
export const REQ = 1;
export const DATA = 2;
export const FIN = 3;
export const ERR = 4;
