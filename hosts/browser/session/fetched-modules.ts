// The core's wasm modules as files next to the page. Embedded as text they would be a third larger. The build replaces
// `hosts/embedding/modules.ts` by this file.

/** Filled in by the build: the file of each module, by the name that the core's glue code uses. */
declare const CORE_FILES: Readonly<Record<string, string>>;

// The page needs them to start, and engines are opened synchronously, so they are all loaded first.
const modules = new Map(
  await Promise.all(Object.entries(CORE_FILES).map(async ([name, file]) => [name, await bytesOf(file)] as const)),
);

export function coreModules(): Map<string, Uint8Array<ArrayBuffer>> {
  return modules;
}

/** A cache may keep a failed response, and a connection may break, so the second try bypasses the cache. */
function bytesOf(file: string): Promise<Uint8Array<ArrayBuffer>> {
  return read(file, "default").catch(() => read(file, "reload"));
}

/** Rejects with a message for the visitor. */
async function read(file: string, cache: RequestCache): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(new URL(file, document.baseURI), { cache }).catch(() => null);
  if (answer === null) throw new Error(`the server did not answer the request for ${file}`);
  if (!answer.ok) throw new Error(`the server answered ${answer.status} to the request for ${file}`);
  const bytes = await answer.arrayBuffer().catch(() => null);
  if (bytes === null) throw new Error(`the answer to the request for ${file} was cut off`);
  return new Uint8Array(bytes);
}
