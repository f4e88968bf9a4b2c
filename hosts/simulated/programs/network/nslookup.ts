// nslookup: as in busybox, with the questions A, AAAA and PTR.

import { bracketed, canonical, groupsOf, isIpv6 } from "../../traffic/addresses.js";
import { refusalText } from "./refusals.js";
import { SocketError, type SocketErrorCode } from "../../traffic/errors.js";
import type { NameAnswer } from "../../traffic/name-answers.js";
import type { ContainerProcess } from "../../processes/process.js";
import { command, complain } from "../command.js";
import { UsageError } from "../options.js";

/** The name server without `/etc/resolv.conf` (resolv.conf(5)). */
const OTHERWISE = "127.0.0.1";
const NOBODY = ";; connection timed out; no servers could be reached\n\n";

export const nslookup = command(async (process, args) => {
  const types = args.filter((arg) => /^-(type|q)=/i.test(arg)).map((arg) => arg.replace(/^.*=/, "").toUpperCase());
  const [asked, given] = args.filter((arg) => !arg.startsWith("-"));
  if (asked === undefined) throw new UsageError("missing operand");
  const server = given === undefined ? (process.network.nameServers()[0] ?? OTHERWISE) : await serverOf(process, given);
  if (server === undefined) return complain(process, `bad address '${given}'`);
  const address = canonical(asked);
  const isReverse = address !== null;
  const answer = await process.network.ask(server, address ?? asked, isReverse);
  if (typeof answer === "string" && answer !== "SERVFAIL") return unanswered(process, server, answer);
  await process.stdout.write(`Server:\t\t${server}\nAddress:\t${bracketed(server)}:53\n\n`);
  const questions = types.length > 0 ? types : isReverse ? ["PTR"] : ["A", "AAAA"];
  for (const question of questions) await process.stdout.write(textOf(asked, question, answer));
  return typeof answer === "object" ? 0 : 1;
});

async function serverOf(process: ContainerProcess, name: string): Promise<string | undefined> {
  return (await process.network.lookUp(name))[0];
}

async function unanswered(
  process: ContainerProcess,
  server: string,
  why: SocketErrorCode | "silence",
): Promise<number> {
  if (why !== "silence" && why !== "ECONNREFUSED") return complain(process, refusalText(server, new SocketError(why)));
  if (why === "ECONNREFUSED") await complain(process, `write to '${server}': ${new SocketError(why).message}`);
  await process.stdout.write(NOBODY);
  return 1;
}

function textOf(asked: string, question: string, answer: NameAnswer): string {
  const address = question === "PTR" ? canonical(asked) : null;
  const name = address === null ? asked : reverseOf(address);
  if (answer === "SERVFAIL") return `** server can't find ${name}: SERVFAIL\n\n`;
  const head = "Non-authoritative answer:\n";
  if ("name" in answer) return `${head}${name}\tname = ${answer.name}\n\n`;
  const asksFor = (address: string): boolean => question === (isIpv6(address) ? "AAAA" : "A");
  const lines = answer.addresses.filter(asksFor).map((address) => `Name:\t${name}\nAddress: ${address}\n`);
  return `${head}${lines.join("")}\n`;
}

/** The name under which an address is asked for (RFC 1035, 3.5; RFC 3596, 2.5). */
function reverseOf(address: string): string {
  const groups = groupsOf(address);
  const digits = groups?.map((group) => group.toString(16).padStart(4, "0")).join("");
  if (digits !== undefined) return `${[...digits].reverse().join(".")}.ip6.arpa`;
  return `${address.split(".").reverse().join(".")}.in-addr.arpa`;
}
