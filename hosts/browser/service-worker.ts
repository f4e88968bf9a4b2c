// Keeps the page usable without a network: all its files are fetched once and then served from the cache. The build
// replaces the two names below by the list of files and their common hash.

declare const FILES: readonly string[];
declare const BUILD: string;

/**
 * The parts of a service worker's global scope that are used here. TypeScript's library for it conflicts with the
 * page's.
 */
interface Scope {
  addEventListener(type: "install" | "activate" | "fetch", listener: (event: WorkerEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
}

interface WorkerEvent extends Event {
  readonly request: Request;
  waitUntil(done: Promise<unknown>): void;
  respondWith(response: Promise<Response>): void;
}

const scope = globalThis as unknown as Scope;

scope.addEventListener("install", (event) => event.waitUntil(install()));
scope.addEventListener("activate", (event) => event.waitUntil(activate()));
scope.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});

async function install(): Promise<void> {
  const cache = await caches.open(BUILD);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
  await scope.skipWaiting();
}

async function activate(): Promise<void> {
  const older = (await caches.keys()).filter((name) => name.startsWith("coracle-") && name !== BUILD);
  await Promise.all(older.map((name) => caches.delete(name)));
  await scope.clients.claim();
}

/** Takes a newer build when there is a network. The files of one build stay together. */
async function answer(request: Request): Promise<Response> {
  const kept = await (await caches.open(BUILD)).match(request, { ignoreSearch: true });
  return kept ?? fetch(request);
}
