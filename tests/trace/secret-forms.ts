// Searches the text of a trace for secrets in any form.

import { expect } from "vitest";

/** The text contains none of the secrets. */
export function expectNone(text: string, secrets: string[]): void {
  // Many forms of a text in ASCII are the same, and a search through a long text takes time.
  const forms = new Set(secrets.flatMap(formsOf));
  for (const form of forms) expect(text.includes(form), form).toBe(false);
}

/** The forms of a text in a file: plain, in base64 at each of the three offsets, in UTF-16, in hex. */
export function formsOf(secret: string): string[] {
  const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  for (const bytes of [Buffer.from(secret), Buffer.from(secret, "latin1"), Buffer.from(secret, "utf16le")]) {
    forms.push(bytes.toString("hex"));
    for (const offset of [0, 1, 2]) {
      const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
      // The first and the last group also depend on neighbouring bytes.
      const inside = shifted.slice(offset === 0 ? 0 : 4, Math.floor((offset + bytes.length) / 3) * 4);
      forms.push(inside, inside.replaceAll("+", "-").replaceAll("/", "_"));
      // Base64 of base64: a header in a body.
      for (const again of [0, 1, 2]) {
        const twice = Buffer.concat([Buffer.alloc(again), Buffer.from(inside)]).toString("base64");
        forms.push(twice.slice(again === 0 ? 0 : 4, Math.floor((again + inside.length) / 3) * 4));
      }
    }
  }
  return forms;
}
