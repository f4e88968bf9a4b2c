// What was built, without any set-up.

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const bundle = new URL("../../build/coracle.mjs", import.meta.url);
if (!existsSync(bundle)) {
  console.error(`Coracle is not built: run "npm run build" in ${fileURLToPath(new URL("../..", import.meta.url))}`);
  process.exit(1);
}
const { main } = await import(bundle.href);
await main(process.argv.slice(2));
