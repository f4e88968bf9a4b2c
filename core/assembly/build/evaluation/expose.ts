// EXPOSE: ports, ranges of ports, and addresses of the host as `docker run -p` has them, of which only the port counts.

import { Json } from "../../json/json";
import { decimalOf } from "../../text/decimal";
import { Instruction } from "../dockerfile/instruction";
import { BuildState } from "./build-state";
import { configStep } from "./config-step";
import { Step } from "./step";

/** Number of ports of all three protocols. */
const MAX_PORTS: i32 = 3 * 65536;

/** Sorted as they are written, in the history, too. */
export function evaluateExpose(state: BuildState, instruction: Instruction): Step {
  const words = state.expandWords(instruction.words.slice(0).sort());
  for (let i = 0; i < words.length && state.problem.length == 0; i++) expose(state, words[i]);
  return configStep(state, `EXPOSE ${words.join(" ")}`);
}

function expose(state: BuildState, word: string): void {
  const slash = word.lastIndexOf("/");
  const written = slash < 0 || slash + 1 == word.length ? "tcp" : word.slice(slash + 1);
  const protocol = written.toLowerCase();
  if (protocol != "tcp" && protocol != "udp" && protocol != "sctp") return state.fail(`invalid proto: ${written}`);
  const address = slash < 0 ? word : word.slice(0, slash);
  const colon = address.lastIndexOf(":");
  const text = address.slice(colon + 1);
  const ports = new PortRange(text);
  if (!ports.isValid) return state.fail(text.length == 0 ? `no port specified: ${word}<empty>` : invalid(text));
  if (colon >= 0 && !isHostPart(address.slice(0, colon))) {
    return state.fail(`invalid hostPort: ${hostPort(address.slice(0, colon))}`);
  }
  state.exposed += ports.last - ports.first + 1;
  if (state.exposed > MAX_PORTS) return state.fail(`EXPOSE of more than ${MAX_PORTS.toString()} ports: ${word}`);
  for (let port = ports.first; port <= ports.last; port++) {
    state.config.setIn("ExposedPorts", `${port.toString()}/${protocol}`, Json.object());
  }
}

function invalid(port: string): string {
  return `invalid containerPort: ${port}`;
}

/** `8080`, `127.0.0.1:8080`, `127.0.0.1:` or nothing. */
function isHostPart(text: string): bool {
  const port = hostPort(text);
  return port.length == 0 || new PortRange(port).isValid;
}

function hostPort(text: string): string {
  return text.slice(text.lastIndexOf(":") + 1);
}

class PortRange {
  readonly first: i32;
  readonly last: i32;

  constructor(text: string) {
    const dash = text.indexOf("-");
    this.first = decimalOf(dash < 0 ? text : text.slice(0, dash), 65535);
    this.last = dash < 0 ? this.first : decimalOf(text.slice(dash + 1), 65535);
  }

  get isValid(): bool {
    return this.first >= 0 && this.last >= this.first;
  }
}
