// The public parts of this folder: what hides credentials and addresses of servers.

export { withoutCredentials } from "./credentials.js";
export { hiddenAddress } from "./server-address.js";
