// Paths of files as texts.

/** Without double slashes, `.` and `..`, and without a slash at the end; a path that is not absolute stays as it is. */
export function cleanPath(path: string): string {
  if (!path.startsWith("/")) return path;
  const kept: string[] = [];
  followPath(kept, path);
  return "/" + kept.join("/");
}

/** Goes on from a directory, which is told by its names from the root on; an absolute path begins there anew. */
export function followPath(directory: string[], path: string): void {
  if (path.startsWith("/")) directory.length = 0;
  const parts = path.split("/");
  for (let i = 0; i < parts.length; i++) {
    if (parts[i] == "..") {
      if (directory.length > 0) directory.pop();
    } else if (parts[i].length > 0 && parts[i] != ".") {
      directory.push(parts[i]);
    }
  }
}
