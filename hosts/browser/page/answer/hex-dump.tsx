// Bytes as hex with their text, eight per line to fit a phone.

const PER_LINE = 8;
const MOST_BYTES = 512;

export function HexDump({ bytes, label }: { bytes: Uint8Array; label: string }) {
  const shown = bytes.subarray(0, MOST_BYTES);
  const lines = Array.from({ length: Math.ceil(shown.length / PER_LINE) }, (_, line) =>
    shown.subarray(line * PER_LINE, (line + 1) * PER_LINE),
  );
  return (
    <pre class="hex" tabIndex={0} role="group" aria-label={label}>
      {lines.map((line) => `${hex(line).padEnd(PER_LINE * 3 - 1)}  ${printable(line)}`).join("\n")}
      {bytes.length > MOST_BYTES && `\n… ${bytes.length - MOST_BYTES} more bytes`}
    </pre>
  );
}

/** For example `01 00 00 00`. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
}
