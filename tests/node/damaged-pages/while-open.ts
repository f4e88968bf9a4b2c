// Damages a database while it is open: DIRECTORY. Prints the result for a record that needs a damaged page, and for
// reading the store's records again, before that and after.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openRecords } from "../../../hosts/node/database/records.js";

const [directory = ""] = process.argv.slice(2);
const file = join(directory, "data.mdb");
const told: string[] = [];
const store = await openRecords(directory, undefined, [], (what, why) => told.push(`${what}: ${why}`));
const put = (key: string, value: Uint8Array) => ({ tag: "put" as const, val: { key, value } });
const large = Buffer.alloc(50_000, "x");
await store.load();
await store.commit([put("container/small", Buffer.from("small")), put("container/large", large)]);

const at = Math.floor(readFileSync(file).indexOf(large.subarray(0, 4096)) / 4096) * 4096;
const descriptor = openSync(file, "r+");
writeSync(descriptor, Buffer.alloc(4096, 0xa5), 0, 4096, at);
closeSync(descriptor);

// As after a trap of the core: no operation of the database has failed.
const quiet = (await store.load()).length;
const early = [...told];
const failed = await store.commit([put("container/more", large), { tag: "delete", val: "container/large" }]).then(
  () => "",
  (error: unknown) => (error as Error).message,
);
const found = (await store.load()).map(({ key, value }) => `${key}: ${value.length} bytes`);
await store.commit([put("container/last", Buffer.from("last")), { tag: "delete", val: "container/large" }]);
const last = (await store.load()).map(({ key }) => key);
await store.close();
writeSync(1, JSON.stringify({ quiet, early, failed, found, last, told }));
