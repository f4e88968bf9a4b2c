// Users and passwords of the addresses that a Dockerfile adds files from. What other instructions say goes into images,
// which records hold as well.

import { withoutUsersIn } from "./addresses-in-text.js";

/** An ADD with its continuation lines, between which there may be comments and empty lines. */
const ADD = /^[ \t]*ADD[ \t](?:[^\n]*[\\`][ \t]*\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*)*[^\n]*/gim;

/** `text`: one character per byte. The result has the same length. */
export function withoutUsersInDockerfile(text: string): string {
  return text.includes("://") && text.includes("@") ? text.replace(ADD, withoutUsersIn) : text;
}
