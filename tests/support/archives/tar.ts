// Tars in valid and invalid forms: every field of a header can be set, even to wrong values.

/** By name; as a list if a name occurs more than once. */
export type PaxRecords = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

export interface RawEntry {
  /** Bytes, one per character; up to 100. */
  name: string;
  /**
   * Type flag: `0` file, `1` hard link, `2` symbolic link, `3` and `4` devices, `5` directory, `6` fifo, or any other.
   */
  flag?: string;
  mode?: number;
  uid?: number;
  gid?: number;
  /** Seconds since 1970. */
  mtime?: number;
  /** For links. */
  target?: string;
  major?: number;
  minor?: number;
  body?: string | Uint8Array;
  /** Replaces the body's length. */
  size?: number;
  /** pax records before the entry; values are bytes, one per character. */
  pax?: PaxRecords;
  /** GNU long name before the entry. */
  longName?: string;
  /** `ustar\0` if not given; GNU uses `ustar `, v7 has none. */
  magic?: string;
  /** Bytes to put over the header, by offset. */
  fields?: Readonly<Record<number, string>>;
}

/** Allows more holes than any useful tar has. */
export const ROOMY = { unpacked: 2n ** 40n, holes: 2n ** 40n };

/** A tar of the entries, with its two blocks of zeros. */
export function rawTar(entries: readonly RawEntry[]): Buffer {
  return Buffer.concat([...entries.map(rawEntry), Buffer.alloc(1024)]);
}

/** An entry's blocks, including those before it. */
export function rawEntry(entry: RawEntry): Buffer {
  const before: Buffer[] = [];
  if (entry.pax) before.push(rawEntry({ name: "pax", flag: "x", body: paxBody(entry.pax) }));
  if (entry.longName) before.push(rawEntry({ name: "././@LongLink", flag: "L", body: `${entry.longName}\0` }));
  const body = typeof entry.body === "string" ? Buffer.from(entry.body, "latin1") : Buffer.from(entry.body ?? "");
  const padding = Buffer.alloc((512 - (body.length % 512)) % 512);
  return Buffer.concat([...before, header(entry, body.length), body, padding]);
}

/** A number of eight bytes in GNU's format for large and negative numbers. */
export function base256(value: bigint): string {
  return BigInt.asUintN(63, value)
    .toString(16)
    .padStart(16, "0")
    .replace(/^./, (digit) => (parseInt(digit, 16) | 8).toString(16))
    .replace(/../g, (byte) => String.fromCharCode(parseInt(byte, 16)));
}

/** Uncompressed bytes in zstd format (RFC 8878: frame with raw blocks), so that no program is needed. */
export function zstdStored(bytes: Uint8Array): Buffer {
  const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58])];
  for (let at = 0; at === 0 || at < bytes.length; at += ZSTD_BLOCK) {
    const block = bytes.subarray(at, at + ZSTD_BLOCK);
    const last = at + ZSTD_BLOCK >= bytes.length ? 1 : 0;
    const head = Buffer.alloc(3);
    head.writeUIntLE((block.length << 3) | last, 0, 3);
    parts.push(head, Buffer.from(block));
  }
  return Buffer.concat(parts);
}

function header(entry: RawEntry, length: number): Buffer {
  const { name, flag = "0", mode = 0o644, uid = 0, gid = 0, mtime = 1_700_000_000 } = entry;
  const block = Buffer.alloc(512);
  const put = (text: string, at: number): void => void block.write(text, at, "latin1");
  const octal = (value: number, at: number, digits: number): void => put(value.toString(8).padStart(digits, "0"), at);
  put(name, 0);
  octal(mode, 100, 7);
  octal(uid, 108, 7);
  octal(gid, 116, 7);
  octal(entry.size ?? length, 124, 11);
  octal(mtime, 136, 11);
  put(flag, 156);
  put(entry.target ?? "", 157);
  put(entry.magic ?? "ustar\x0000", 257);
  octal(entry.major ?? 0, 329, 7);
  octal(entry.minor ?? 0, 337, 7);
  for (const [place, bytes] of Object.entries(entry.fields ?? {})) put(bytes, Number(place));
  block.fill(0x20, 148, 156);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block[154] = 0;
  return block;
}

function paxBody(records: PaxRecords): Buffer {
  const all = Array.isArray(records) ? (records as (readonly [string, string])[]) : Object.entries(records);
  const lines = all.map(([key, value]) => {
    const rest = ` ${key}=${value}\n`;
    let length = rest.length + 1;
    while (`${length}${rest}`.length !== length) length++;
    return `${length}${rest}`;
  });
  return Buffer.from(lines.join(""), "latin1");
}

const ZSTD_BLOCK = 128 << 10;
