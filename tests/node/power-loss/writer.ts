// Writes transactions one after the other, and prints each that is kept: DIRECTORY SEED COUNT.
import { writeSync } from "node:fs";
import { openRecords } from "../../../hosts/node/database/records.js";
import { JOURNAL_BYTES, transactions } from "./transactions.js";

const [directory = "", seed, count] = process.argv.slice(2);
const store = await openRecords(directory, JOURNAL_BYTES);
let kept = 0;
for (const commands of transactions(Number(seed))) {
  if (kept === Number(count)) break;
  writeSync(1, `begin ${kept + 1}\n`);
  await store.commit(commands);
  writeSync(1, `kept ${(kept += 1)}\n`);
}
await store.close();
