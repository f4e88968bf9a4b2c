// Paths of files in the context of a build.

/** Whether a path, from the root of the context, leads out of it on its way. */
export function leavesContext(path: string): bool {
  const parts = path.split("/");
  let depth = 0;
  for (let i = 0; i < parts.length; i++) {
    if (parts[i] == "..") depth--;
    else if (parts[i].length > 0 && parts[i] != ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}
