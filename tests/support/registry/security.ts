// The allowed ways to connect to registries, as in the core.

import type { types } from "../../../hosts/shared/host.js";

/** For all other registries. */
export const SECURE: types.Security[] = ["verified-tls"];

/** For loopback, and for registries in the options. */
export const INSECURE: types.Security[] = ["any-certificate", "plain"];
