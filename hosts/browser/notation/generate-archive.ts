// Lines that make the tar of a request's files, for programs in several languages.

import type { TextFile } from "../session/request.js";

/** TypeScript with tar-stream: the stream `archive`. */
export function archiveInTypeScript(files: readonly TextFile[]): string[] {
  const entries = files.map(({ name, text }) => `archive.entry({ name: ${JSON.stringify(name)} }, ${literal(text)});`);
  return ["const archive = pack();", ...entries, "archive.finalize();"];
}

export const PACK_IMPORT = 'import { pack } from "tar-stream";';

/** A template literal if that is easier to read. */
function literal(text: string): string {
  return !text.includes("\n") || /[`\\\r]|\$\{/.test(text) ? JSON.stringify(text) : `\`${text}\``;
}

/** Python: the file object `archive`. It needs `io` and `tarfile`. */
export function archiveInPython(files: readonly TextFile[]): string[] {
  return [
    "archive = io.BytesIO()",
    'with tarfile.open(fileobj=archive, mode="w") as tar:',
    "    for name, text in [",
    ...files.map(({ name, text }) => `        (${JSON.stringify(name)}, ${JSON.stringify(text)}),`),
    "    ]:",
    "        entry, content = tarfile.TarInfo(name), text.encode()",
    "        entry.size = len(content)",
    "        tar.addfile(entry, io.BytesIO(content))",
    "archive.seek(0)",
  ];
}

/** Packages that `archiveInGo` needs. */
export const GO_ARCHIVE_IMPORTS: readonly string[] = ["archive/tar", "bytes"];

/** Go: the buffer `archive`. */
export function archiveInGo(files: readonly TextFile[]): string[] {
  return [
    "\tvar archive bytes.Buffer",
    "\tout := tar.NewWriter(&archive)",
    "\tfor _, file := range []struct{ name, text string }{",
    ...files.map(({ name, text }) => `\t\t{${JSON.stringify(name)}, ${goText(text)}},`),
    "\t} {",
    "\t\theader := tar.Header{Name: file.name, Mode: 0o644, Size: int64(len(file.text))}",
    "\t\tif err := out.WriteHeader(&header); err != nil {",
    "\t\t\tpanic(err)",
    "\t\t}",
    "\t\tif _, err := out.Write([]byte(file.text)); err != nil {",
    "\t\t\tpanic(err)",
    "\t\t}",
    "\t}",
    "\tif err := out.Close(); err != nil {",
    "\t\tpanic(err)",
    "\t}",
  ];
}

/** Uses a raw string if possible, so that it stays readable. */
export function goText(value: string): string {
  return /[`\r]/.test(value) ? JSON.stringify(value) : `\`${value}\``;
}
