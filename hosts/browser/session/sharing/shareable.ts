// Removes credentials from actions and cells before they are shared.

import type { engine } from "../../../shared/index.js";
import { ACCOUNT } from "../../../simulated/index.js";
import { hiddenAddress, withoutCredentials } from "../../../redaction/index.js";
import type { EnteredAction } from "../action.js";
import type { Cell } from "../cell.js";
import type { KeptCell } from "../notebook.js";
import { pathOf } from "../request.js";
import type { WrittenRequest } from "../request.js";

export function kept(cells: readonly Cell[]): KeptCell[] {
  return cells.map(({ id, request }) => ({ id, request: request.value }));
}

export function maskedCell({ id, request }: KeptCell): KeptCell {
  return { id, request: maskedRequest(request) };
}

export function maskedAction({ at, action }: EnteredAction): EnteredAction {
  return { at, action: action.kind === "send" ? { ...action, request: maskedRequest(action.request) } : action };
}

/**
 * Replaces credentials by stand-ins of the same shape, with which the engine and the registry decide the same. The
 * simulated registry's credentials are public: they stay, because a pull would fail without them.
 */
export function maskedRequest(request: WrittenRequest): WrittenRequest {
  const masked = withoutCredentials({ tag: "request", val: asInput(request) }).input;
  if (masked.tag !== "request") throw new Error("masking changed the kind of an action");
  const lines = masked.val.headers.split("\n");
  const { body } = masked.val;
  const { files } = request;
  const isLogin = pathOf(request) === "/auth";
  return {
    method: request.method,
    target: masked.val.target,
    headers: request.headers.map(([name, value], at) => [
      name,
      isPublic(name, value) ? value : lines[at]!.slice(name.length + 2),
    ]),
    body: body.tag !== "whole" || (isLogin && isAccount(request.body)) ? request.body : decode(body.val),
    ...(files !== undefined && { files }),
  };
}

function asInput({ method, target, headers, body }: WrittenRequest): engine.Request {
  return {
    ...{ id: 0n, listener: "internal", method, target },
    // A line break in a value would split the header in two.
    headers: headers.map(([name, value]) => `${name}: ${value.replace(/[\r\n]/g, " ")}`).join("\n"),
    body: body === "" ? { tag: "none" } : { tag: "whole", val: new TextEncoder().encode(body) },
  };
}

function isPublic(name: string, value: string): boolean {
  if (name.toLowerCase() !== "x-registry-auth") return false;
  try {
    return isAccount(atob(value.replaceAll("-", "+").replaceAll("_", "/")));
  } catch {
    return false;
  }
}

/**
 * Whether it holds only the name and password of the simulated registry's account, and nothing that could be a secret.
 */
function isAccount(text: string): boolean {
  try {
    const { username, password, serveraddress, ...others } = JSON.parse(text) as Record<string, unknown>;
    if (Object.values(others).some((value) => value !== "")) return false;
    if (serveraddress !== undefined && typeof serveraddress !== "string") return false;
    return username === ACCOUNT.username && password === ACCOUNT.password && hidesNothing(serveraddress ?? "");
  } catch {
    return false;
  }
}

function hidesNothing(address: string): boolean {
  const inside = JSON.stringify(address).slice(1, -1);
  return hiddenAddress(inside) === inside;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
