// ping: as in busybox.

import { SIGINT } from "../../processes/signals.js";
import { SocketError } from "../../traffic/errors.js";
import { frameBytes } from "../../traffic/wire.js";
import type { ContainerProcess } from "../../processes/process.js";
import { command, complain } from "../command.js";
import { parseOptions, UsageError, wholeNumber } from "../options.js";
import { duration } from "../small.js";

const DATA_BYTES = 56;
const ICMP_HEADER_BYTES = 8;
const TTL = 64;
const SECOND_NS = 1_000_000_000;
/** How long to wait for the last answers. */
const LAST_SECONDS = 10;
const MOST_DATA_BYTES = 65_535;
/** Between two packets. */
const SHORTEST_PAUSE_NS = 1_000_000n;

/** `ping6` is `ping -6`. */
export const ping = command(async (process, args) => {
  const { flags, words } = parseOptions(args, "46Aqc:s:i:t:I:W:w:p:");
  const [host] = words;
  if (host === undefined) throw new UsageError("missing operand");
  const wish = wishOf(flags);
  const [address] = await process.network.lookUp(host, familyOf(process, flags));
  if (address === undefined) return complain(process, `bad address '${host}'`);
  await process.stdout.write(`PING ${host} (${address}): ${wish.size} data bytes\n`);
  return new Round(process, { ...wish, host, address }).run();
});

/** Undefined if either will do. */
function familyOf({ argv }: ContainerProcess, flags: ReadonlyMap<string, string>): 4 | 6 | undefined {
  if (flags.has("4")) return 4;
  return flags.has("6") || argv[0]?.endsWith("6") ? 6 : undefined;
}

/** Throws `UsageError`. */
function wishOf(flags: ReadonlyMap<string, string>): Omit<Wish, "host" | "address"> {
  const number = (letter: string, otherwise: number, most?: number): number => {
    const text = flags.get(letter);
    return text === undefined ? otherwise : wholeNumber(text, 0, most);
  };
  const seconds = { pause: pauseOf(flags.get("i")), last: number("W", LAST_SECONDS), all: number("w", Infinity) };
  const count = number("c", Infinity) || Infinity; // 0 is no limit
  return { size: number("s", DATA_BYTES, MOST_DATA_BYTES), isQuiet: flags.has("q"), count, seconds };
}

/** In seconds. The real one floods at 0; that would leave the other programs of this world no time. */
function pauseOf(text: string | undefined): number {
  const seconds = text === undefined ? 1 : duration(text);
  if (seconds === null || seconds === 0) throw new UsageError(`invalid number '${text}'`);
  return seconds;
}

interface Wish {
  host: string;
  address: string;
  /** Bytes of data in a packet. */
  size: number;
  isQuiet: boolean;
  count: number;
  seconds: { pause: number; last: number; all: number };
}

class Round {
  readonly #process: ContainerProcess;
  readonly #wish: Wish;
  readonly #times: number[] = [];
  /** Answers that are not printed yet. */
  readonly #lines: string[] = [];
  #sent = 0;
  #isStopped = false;
  #wake = (): void => {};

  constructor(process: ContainerProcess, wish: Wish) {
    this.#process = process;
    this.#wish = wish;
  }

  /** Resolves to the exit code. */
  async run(): Promise<number> {
    this.#process.onSignal([SIGINT], () => {
      this.#isStopped = true;
      this.#wake();
    });
    const { count, seconds } = this.#wish;
    const end = this.#now() + this.#ns(seconds.all);
    while (this.#sent < count && !this.#isStopped && this.#now() < end) {
      const error = this.#send();
      if (error !== null) return complain(this.#process, `sendto: ${error.message}`);
      const isLast = this.#sent === count;
      const pause = isLast ? this.#ns(seconds.last) : later(this.#ns(seconds.pause), SHORTEST_PAUSE_NS);
      await this.#until(earlier(end, this.#now() + pause), isLast);
    }
    return this.#conclude();
  }

  #send(): SocketError | null {
    const { address, size } = this.#wish;
    const sequence = this.#sent++;
    const begun = this.#now();
    const code = this.#process.network.echo(address, frameBytes(address, size + ICMP_HEADER_BYTES), () => {
      const us = Number((this.#now() - begun) / 1000n);
      this.#times.push(us);
      this.#lines.push(
        `${size + ICMP_HEADER_BYTES} bytes from ${address}: seq=${sequence} ttl=${TTL} time=${milliseconds(us)} ms\n`,
      );
      this.#wake();
    });
    return code && new SocketError(code);
  }

  /** Prints answers until then. `isLast`: or until all of them are there. */
  async #until(end: bigint, isLast: boolean): Promise<void> {
    const { time } = this.#process.namespace.kernel;
    while (!this.#isStopped && this.#now() < end && !(isLast && this.#times.length === this.#sent)) {
      await this.#process.wait((due) => {
        this.#wake = due;
        return time.at(end, due);
      });
      await this.#print();
    }
  }

  async #print(): Promise<void> {
    const lines = this.#lines.splice(0).join("");
    if (lines !== "" && !this.#wish.isQuiet) await this.#process.stdout.write(lines);
  }

  async #conclude(): Promise<number> {
    await this.#print();
    const received = this.#times.length;
    const lost = this.#sent === 0 ? 0 : Math.floor(((this.#sent - received) * 100) / this.#sent);
    const counts = `${this.#sent} packets transmitted, ${received} packets received, ${lost}% packet loss\n`;
    await this.#process.stdout.write(`\n--- ${this.#wish.host} ping statistics ---\n${counts}`);
    if (received === 0) return 1;
    const average = this.#times.reduce((sum, us) => sum + us, 0) / received;
    const trip = [Math.min(...this.#times), average, Math.max(...this.#times)].map((us) =>
      milliseconds(Math.floor(us)),
    );
    await this.#process.stdout.write(`round-trip min/avg/max = ${trip.join("/")} ms\n`);
    return 0;
  }

  #now(): bigint {
    return this.#process.namespace.kernel.time.now().monotonic;
  }

  #ns(seconds: number): bigint {
    return BigInt(Math.round(Math.min(seconds, LONGEST_SECONDS) * SECOND_NS));
  }
}

/** A year. */
const LONGEST_SECONDS = 31_536_000;

function milliseconds(us: number): string {
  return `${Math.floor(us / 1000)}.${String(us % 1000).padStart(3, "0")}`;
}

function earlier(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
