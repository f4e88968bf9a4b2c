// A message of Protocol Buffers (protobuf.dev, encoding): its fields by their numbers. Fields without a value are left out.

import { encodeUtf8 } from "../../../text/utf8";

const VARINT: u64 = 0;
const BYTES: u64 = 2;
const SECOND: i64 = 1_000_000_000;

export class ProtoWriter {
  private bytes: Uint8Array = new Uint8Array(256);
  private length: i32 = 0;

  text(field: u64, text: string): void {
    if (text.length > 0) this.delimited(field, encodeUtf8(text));
  }

  number(field: u64, value: u64): void {
    if (value == 0) return;
    this.varint((field << 3) | VARINT);
    this.varint(value);
  }

  /** `google.protobuf.Timestamp`. `wall`: nanoseconds since 1970; 0 for none. */
  time(field: u64, wall: i64): void {
    if (wall == 0) return;
    const time = new ProtoWriter();
    time.number(1, wall / SECOND);
    time.number(2, wall % SECOND);
    this.message(field, time);
  }

  message(field: u64, message: ProtoWriter): void {
    this.delimited(field, message.take());
  }

  take(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  private delimited(field: u64, bytes: Uint8Array): void {
    this.varint((field << 3) | BYTES);
    this.varint(bytes.length);
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** Seven bits a byte, the lowest first. */
  private varint(value: u64): void {
    this.reserve(10);
    let rest = value;
    for (; rest > 0x7f; rest >>= 7) this.bytes[this.length++] = <u8>(rest | 0x80);
    this.bytes[this.length++] = <u8>rest;
  }

  private reserve(more: i32): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(max(this.bytes.length * 2, this.length + more));
    larger.set(this.bytes);
    this.bytes = larger;
  }
}
