// How registries may be spoken to, as the core has it.

import type { types } from "../../hosts/shared/host.js";

/** Any but those below. */
export const SECURE: types.Security[] = ["verified-tls"];

/** On loopback, and those that the options list. */
export const INSECURE: types.Security[] = ["any-certificate", "plain"];
