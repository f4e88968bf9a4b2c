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

async function bytesOf(file: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(new URL(file, document.baseURI));
  if (!answer.ok) throw new Error(`${file}: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}
