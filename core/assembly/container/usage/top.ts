// GET /containers/{id}/top (surface §2.12): the output of the machine's `ps`, reduced to the container's processes.

import {
  Failure,
  FailureTag,
  FailureTool,
  Outcome,
  OutcomePs,
  ProcessCommandPs,
  Ps,
  PsOutput,
  Subject,
} from "../../../../build/bindings/types";
import { askProcesses } from "../../ask";
import { Call } from "../../call";
import { emitContainer } from "../../event/emit";
import { hasEnded } from "../../failure/missing";
import { failureText } from "../../failure/text";
import { toolWords } from "../../failure/tool";
import { JsonWriter } from "../../json/writer";
import { conflict, internal, Refusal } from "../../refusal";
import { line, sendJson, sendRefusal } from "../../reply";
import { Task } from "../../task";
import { decimalOf } from "../../text/decimal";
import { quoteText } from "../../text/go-quote";
import { decodeUtf8 } from "../../text/utf8";
import { Container } from "../container";
import { restartingText } from "../restart/backoff";
import { containerStore } from "../store";

const DEFAULT_ARGUMENTS = "-ef";
/** The column that tells whether a line belongs to the container. */
const PID = "PID";

export function topContainer(call: Call): Refusal | null {
  const given = call.query.first("ps_args");
  const text = given.length == 0 ? DEFAULT_ARGUMENTS : given;
  const renamed = renamedColumn(text);
  if (renamed.length > 0) return internal(`specifying "${renamed}" is not allowed`);
  const lookup = containerStore.lookUp(call.name);
  const container = lookup.container;
  if (container === null) return lookup.refusal;
  if (!container.running) return notRunning(container);
  const subject = new Subject(container.id, container.run);
  askProcesses(new Listing(container, call), 0, new ProcessCommandPs(new Ps(subject, wordsOf(text))));
  return null;
}

function notRunning(container: Container): Refusal {
  return conflict(container.restarting ? restartingText(container) : `container ${container.id} is not running`);
}

class Listing extends Task {
  constructor(
    private readonly container: Container,
    private readonly call: Call,
  ) {
    super();
  }

  ended(_step: i32, outcome: Outcome | null, failure: Failure | null): void {
    if (failure !== null) return sendRefusal(this.call, this.refusalOf(failure));
    const listed = new ProcessTable((<OutcomePs>outcome!).value);
    if (listed.error.length > 0) return sendRefusal(this.call, internal(listed.error));
    emitContainer(this.container, "top");
    sendJson(this.call, 200, listed.write());
  }

  /** In the output of a failed `ps` the first line is the reason; its usage follows. */
  private refusalOf(failure: Failure): Refusal {
    if (hasEnded(failure)) return notRunning(this.container);
    if (failure.tag != FailureTag.Tool) return internal(`ps: ${failureText(failure)}`);
    const said = toolWords((<FailureTool>failure).value);
    const end = said.indexOf("\n");
    return internal(`ps: ${end < 0 ? said : said.slice(0, end)}`);
  }
}

/** The output of `ps`: titles, and the lines of the container's processes. */
class ProcessTable {
  error: string = "";
  private titles: string[] = [];
  private readonly rows: string[][] = [];
  private pidColumn: i32 = -1;

  constructor(output: PsOutput) {
    const lines = decodeUtf8(output.text).split("\n");
    this.titles = wordsOf(lines[0]);
    this.pidColumn = this.titles.indexOf(PID);
    const pids = new Set<u32>();
    for (let i = 0; i < output.pids.length; i++) pids.add(output.pids[i]);
    if (this.pidColumn >= 0) this.read(lines, pids);
    else this.error = "Couldn't find PID field in ps output";
  }

  write(): Uint8Array {
    const json = new JsonWriter();
    json.beginObject();
    json.key("Processes");
    json.beginArray();
    for (let i = 0; i < this.rows.length; i++) {
      json.beginArray();
      for (let j = 0; j < this.rows[i].length; j++) json.string(this.rows[i][j]);
      json.endArray();
    }
    json.endArray();
    json.stringArrayField("Titles", this.titles);
    json.endObject();
    return line(json);
  }

  /** Lines of threads have a dash instead of a process id: they belong to the process above. */
  private read(lines: string[], pids: Set<u32>): void {
    let ours = false;
    for (let i = 1; i < lines.length; i++) {
      const cells = wordsOf(lines[i]);
      if (cells.length <= this.pidColumn) continue;
      const pid = cells[this.pidColumn];
      if (pid != "-") {
        const number = decimalOf(pid, i32.MAX_VALUE);
        if (number < 0) {
          this.error = `Unexpected pid ${quoteText(pid)}`;
          return;
        }
        ours = pids.has(number);
      }
      if (ours) this.rows.push(this.joined(cells));
    }
  }

  /** The last column may contain spaces. */
  private joined(cells: string[]): string[] {
    const last = this.titles.length - 1;
    if (cells.length <= this.titles.length) return cells;
    const row = cells.slice(0, last);
    row.push(cells.slice(last).join(" "));
    return row;
  }
}

/** Words separated by ASCII white space: a program's name may contain any other. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let from = 0;
  for (let i = 0; i <= text.length; i++) {
    if (i < text.length && !isSpace(text.charCodeAt(i))) continue;
    if (i > from) words.push(text.slice(from, i));
    from = i + 1;
  }
  return words;
}

function isSpace(unit: i32): bool {
  return unit == 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

/**
 * Finds another column that the client renames to PID: its values
 * would select processes of others. Empty if there is none.
 */
function renamedColumn(text: string): string {
  let from = text.indexOf(`=`);
  for (; from >= 0; from = text.indexOf("=", from + 1)) {
    let start = from;
    while (start > 0 && !isSpace(text.charCodeAt(start - 1)) && text.charCodeAt(start - 1) != 0x2c) start -= 1;
    let title = from + 1;
    while (title < text.length && isSpace(text.charCodeAt(title))) title += 1;
    const column = text.slice(start, from);
    if (text.substr(title, PID.length) == PID && column != "pid") return `${column}=${wordsOf(text.slice(title))[0]}`;
  }
  return "";
}
