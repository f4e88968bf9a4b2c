// The core's wasm modules as files beside the page: as text in the script they would be a third more to fetch. The build
// puts this in place of `hosts/embedding/modules.ts`.

/** The build's: of each module by the name that the core's glue asks for, its file. */
declare const CORE_FILES: Readonly<Record<string, string>>;

// The page cannot begin without them, and nothing of it can wait for them later: engines are opened at once.
const modules = new Map(
  await Promise.all(Object.entries(CORE_FILES).map(async ([name, file]) => [name, await bytesOf(file)] as const)),
);

export function coreModules(): Map<string, Uint8Array<ArrayBuffer>> {
  return modules;
}

/** A cache may hold on to a failure, and a connection may break: the second time the server itself is asked. */
function bytesOf(file: string): Promise<Uint8Array<ArrayBuffer>> {
  return read(file, "default").catch(() => read(file, "reload"));
}

/** Rejects with what the visitor is told. */
async function read(file: string, cache: RequestCache): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(new URL(file, document.baseURI), { cache }).catch(() => null);
  if (answer === null) throw new Error(`the server did not answer the request for ${file}`);
  if (!answer.ok) throw new Error(`the server answered ${answer.status} to the request for ${file}`);
  const bytes = await answer.arrayBuffer().catch(() => null);
  if (bytes === null) throw new Error(`the answer to the request for ${file} broke off`);
  return new Uint8Array(bytes);
}
