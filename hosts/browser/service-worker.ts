// Keeps the page usable without a network: all its files are fetched once and then served from the cache. The build
// replaces the three names below by the list of files, the file with the core's sources, and the common hash of all.

declare const FILES: readonly string[];
/** The text of each source file by its path. One by one they would cost the first visit hundreds of requests. */
declare const SOURCES: string;
declare const BUILD: string;

/**
 * The parts of a service worker's global scope that are used here. TypeScript's library for it conflicts with the
 * page's.
 */
interface Scope {
  addEventListener(type: "install" | "activate" | "fetch", listener: (event: WorkerEvent) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  location: Location;
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
  await cache.addAll([...FILES, SOURCES].map((file) => new Request(file, { cache: "reload" })));
  await scope.skipWaiting();
}

async function activate(): Promise<void> {
  const older = (await caches.keys()).filter((name) => name.startsWith("coracle-") && name !== BUILD);
  await Promise.all(older.map((name) => caches.delete(name)));
  await scope.clients.claim();
}

/** Takes a newer build when there is a network. The files of one build stay together. */
async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(BUILD);
  const kept = await cache.match(request, { ignoreSearch: true });
  return kept ?? (await sourceFrom(cache, request.url)) ?? fetch(request);
}

async function sourceFrom(cache: Cache, url: string): Promise<Response | undefined> {
  const directory = new URL("./", scope.location.href).href;
  if (!url.startsWith(`${directory}source/`)) return undefined;
  const sources = (await (await cache.match(SOURCES))?.json()) as Record<string, string> | undefined;
  const text = sources?.[url.slice(directory.length)];
  return text === undefined ? undefined : new Response(text);
}
