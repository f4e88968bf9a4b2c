// `detachKeys`: a list, separated by commas, of single characters, `ctrl-X`, or `DEL` (surface §2.8).

const DEFAULT_KEYS: StaticArray<u8> = [0x10, 0x11]; // ctrl-p, ctrl-q
const CONTROLS = "@abcdefghijklmnopqrstuvwxyz[\\]^_";

/** Null if the text is invalid; the default keys if it is empty. */
export function parseDetachKeys(text: string): Uint8Array | null {
  if (text.length == 0) return defaultKeys();
  const words = text.split(",");
  const keys = new Uint8Array(words.length);
  for (let i = 0; i < words.length; i++) {
    const key = keyOf(words[i]);
    if (key < 0) return null;
    keys[i] = <u8>key;
  }
  return keys;
}

function keyOf(word: string): i32 {
  if (word.length == 1) return word.charCodeAt(0) < 128 ? word.charCodeAt(0) : -1;
  if (word == "DEL") return 127;
  if (!word.startsWith("ctrl-") || word.length != 6) return -1;
  return CONTROLS.indexOf(word.charAt(5));
}

function defaultKeys(): Uint8Array {
  const keys = new Uint8Array(DEFAULT_KEYS.length);
  for (let i = 0; i < DEFAULT_KEYS.length; i++) keys[i] = DEFAULT_KEYS[i];
  return keys;
}
