// The public parts of this folder: requests on their way in, replies on their way out.

export { RequestBodies } from "./bodies.js";
export type { Session } from "./bodies.js";
export { SHORT_BODY, bodyOf, formOf } from "./body-form.js";
export { contextOf, straight } from "./door.js";
export type { Door, Passage } from "./door.js";
export { Exchange } from "./exchange.js";
export type { Channel, ExchangeContext } from "./exchange.js";
export { isCounted, isLengthless, mayHaveBody, namesAndValues, withoutControls } from "./reply-head.js";
export { ReplyRouter } from "./reply-router.js";
export { OpenRequests, endedBy, endedIn, refuse } from "./requests.js";
