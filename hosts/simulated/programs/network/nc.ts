// nc: as in busybox, with -u, -v and -z as in Alpine's and in the official image's.

import type { ContainerProcess } from "../../processes/process.js";
import type { Input, Output } from "../../program.js";
import type { ConnectionEnd } from "../../traffic/connection.js";
import { SocketError } from "../../traffic/errors.js";
import type { Listener } from "../../traffic/listener.js";
import { bracketed, canonical } from "../../traffic/addresses.js";
import { probe, receive, sendTo, type Wish } from "./nc-datagrams.js";
import { refusalText } from "./refusals.js";
import { BrokenPipe } from "../../processes/descriptors.js";
import { command, complain } from "../command.js";
import { parseOptions, UsageError } from "../options.js";
import { duration } from "../small.js";

export const nc = command(async (process, args) => {
  const at = args.findIndex((arg) => /^-[a-z]*e$/.test(arg));
  const [own, program] = at < 0 ? [args, []] : [[...args.slice(0, at)], args.slice(at + 1)];
  const { flags, words } = parseOptions([...own], LETTERS, {}, true);
  const patience = flags.has("w") ? seconds(flags.get("w")!) : undefined;
  const isServer = flags.has("l") || words.length < 2;
  if (!isServer) return client(process, words, { patience, program, flags });
  const port = portOf(flags.get("p") ?? words.at(-1));
  if (!flags.has("l") || port === null) throw new UsageError("missing operand");
  // -ll, or Alpine's -k: one connection after the other.
  const isLasting = flags.has("k") || isRepeated("l", own.slice(0, own.length - words.length));
  try {
    if (flags.has("u"))
      return await receive(process, { port, address: flags.get("s") }, { patience, program, isLasting });
    const listener = process.network.own(process.network.bind(port, flags.get("s")));
    return await server(process, listener, { patience, program, isLasting });
  } catch (error) {
    if (!(error instanceof SocketError)) throw error;
    return complain(process, error.code === "ETIMEDOUT" ? "timed out" : `bind: ${error.message}`);
  }
});

/** Whether the options have this letter more than once. */
function isRepeated(letter: string, options: readonly string[]): boolean {
  let count = 0;
  for (let at = 0; at < options.length; at++) {
    const [, letters = "", taking = "", value] = CLUSTER.exec(options[at]!) ?? [];
    count += letters.split(letter).length - 1;
    if (taking !== "" && value === "") at++; // its value is the next word
  }
  return count > 1;
}

const LETTERS = "lknuvzp:w:i:s:";
/** Letters without a value, then perhaps one with its value. */
const CLUSTER = /^-([lknuvz]*)([pwis]?)(.*)$/;

async function client(
  process: ContainerProcess,
  [host = "", service]: readonly string[],
  { patience, program, flags }: Wish & { flags: ReadonlyMap<string, string> },
): Promise<number> {
  const port = portOf(service);
  if (port === null) return complain(process, `bad port '${service}'`);
  const [address] = await process.network.lookUp(host);
  if (address === undefined) return complain(process, `bad address '${host}'`);
  try {
    if (flags.has("u")) return await clientOfDatagrams(process, { host, address, port }, { patience, program, flags });
    const connection = await process.network.reach({ address, port }, patience);
    if (flags.has("v")) await process.stderr.write(`${host} (${bracketed(address)}:${port}) open\n`);
    return flags.has("z") ? 0 : await serve(process, connection, program);
  } catch (error) {
    if (!(error instanceof SocketError)) throw error;
    if (patience !== undefined && error.code === "ETIMEDOUT") return complain(process, "timed out");
    return complain(process, refusalText(address, error));
  }
}

async function clientOfDatagrams(
  process: ContainerProcess,
  { host, address, port }: { host: string; address: string; port: number },
  { flags, ...wish }: Wish & { flags: ReadonlyMap<string, string> },
): Promise<number> {
  const own = process.network.datagrams(portOf(flags.get("p")) ?? 0, flags.get("s"));
  const peer = { address: canonical(address) ?? address, port };
  if (flags.has("z") && !(await probe(process, own, peer, wish.patience))) return 1;
  if (flags.has("v")) await process.stderr.write(`${host} (${bracketed(address)}:${port}) open\n`);
  return flags.has("z") ? 0 : sendTo(process, own, peer, wish);
}

async function server(
  process: ContainerProcess,
  listener: Listener,
  { patience, program, isLasting }: Wish & { isLasting: boolean },
): Promise<number> {
  const { network } = process;
  for (let isFirst = true; ; isFirst = false) {
    const connection = await network.accept(listener, isFirst ? patience : undefined);
    if (!isLasting) network.release(listener);
    const code = await serve(process, connection, program);
    if (!isLasting) return code;
    network.release(connection);
  }
}

async function serve(
  process: ContainerProcess,
  connection: ConnectionEnd,
  program: readonly string[],
): Promise<number> {
  const { input, output } = process.network.socket(connection);
  if (program.length > 0) {
    const child = process.spawn({ argv: program, stdin: input, stdout: output });
    process.network.release(connection);
    return child.exited;
  }
  void pass(process.stdin, output).then(
    () => connection.sink.release(),
    () => {},
  );
  await pass(input, process.stdout);
  return 0;
}

/** Until the end of the input, or until nobody takes the output. */
async function pass(input: Input, output: Output): Promise<void> {
  try {
    for (let piece = await input.read(); piece; piece = await input.read()) await output.write(piece);
  } catch (error) {
    if (!(error instanceof BrokenPipe)) throw error;
  }
}

function portOf(text: string | undefined): number | null {
  const port = Number(text);
  return text !== undefined && /^\d+$/.test(text) && port > 0 && port < 65_536 ? port : null;
}

function seconds(text: string): bigint {
  const number = duration(text);
  if (number === null) throw new UsageError(`invalid number '${text}'`);
  return BigInt(Math.round(number * 1e9));
}
