// Migrates from version 3: networks had no IPv6. Records without it stay as they are; the number keeps engines away that
// would not see which IPv6 addresses are taken.

import { Migration } from "./migration";

export class ToVersion4 extends Migration {
  record(_key: string, _value: Uint8Array): Uint8Array | null {
    return null;
  }
}
