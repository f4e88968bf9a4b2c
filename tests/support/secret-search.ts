// Looks for texts in a file, in whatever form they may stand there: as they are, escaped, in UTF-16, in base64, in hex; and
// all of that once more inside of what is base64 itself.

/** Characters of base64 in a row that are taken to be some. */
const ENCODED = /[A-Za-z0-9+/_-]{24,}={0,2}/g;

/** Those of `secrets` that are there. */
export function secretsIn(bytes: Buffer, secrets: readonly string[]): string[] {
  const places = [bytes, ...decodedIn(bytes)];
  const inner = places.slice(1).flatMap((place) => decodedIn(place));
  return secrets.filter((secret) => [...places, ...inner].some((place) => holds(place, secret)));
}

function holds(place: Buffer, secret: string): boolean {
  return formsOf(secret).some((form) => place.includes(form));
}

function decodedIn(place: Buffer): Buffer[] {
  return (place.toString("latin1").match(ENCODED) ?? []).map((text) => Buffer.from(text, "base64"));
}

/** As text and as bytes; base64 wherever it may begin. */
function formsOf(secret: string): Buffer[] {
  const texts = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  const bytes = [...new Set(texts)].flatMap((text) => [Buffer.from(text), Buffer.from(text, "utf16le")]);
  const encoded = bytes.flatMap((one) => [Buffer.from(one.toString("hex")), ...inBase64(one)]);
  return [...bytes, ...encoded];
}

/** What depends on its neighbours is left out. */
function inBase64(bytes: Buffer): Buffer[] {
  return [0, 1, 2].map((offset) => {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return Buffer.from(shifted.slice(offset === 0 ? 0 : 4, Math.floor((offset + bytes.length) / 3) * 4));
  });
}
