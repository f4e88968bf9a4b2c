// Operations on file paths.

/** Removes double slashes, `.`, `..` and a trailing slash. A relative path stays as it is. */
export function cleanPath(path: string): string {
  if (!path.startsWith("/")) return path;
  const kept: string[] = [];
  followPath(kept, path);
  return "/" + kept.join("/");
}

/** Follows `path` from a directory, given as the names from the root on; an absolute path starts at the root. */
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
