// Checks the history of builds: each build by BuildKit that ends has one record, which says how it ended. No two
// records are of the same build.

import type { PastBuildRecord } from "../../../../build/core/record-types.js";
import type { RequestId, engine } from "../../../../hosts/shared/host.js";
import { Breach } from "../../breach.js";
import type { Ledger } from "../../ledger.js";
import type { Invariant, Seen } from "../invariant.js";

const PREFIX = "build/";
const SOLVE = /^\/v[\d.]+\/grpc\/moby\.buildkit\.v1\.Control\/Solve$/;
/** Those that no client has pinned, and those that clients have. */
const MOST = 100 + 50;
const OK = 200;

interface Solve {
  ref: string;
  /** Its client wants no record of it. */
  isInternal: boolean;
}

export class PastBuilds implements Invariant {
  /** Builds under way. */
  readonly #solves = new Map<RequestId, Solve>();

  stepped({ input, outputs, opening, ledger }: Seen): void {
    if (opening !== null) return this.crashed();
    if (input?.tag === "request" && SOLVE.test(input.val.target)) this.#solves.set(input.val.id, solveIn(input.val));
    const changed = ledger.changed.filter((key) => key.startsWith(PREFIX));
    if (changed.length > 0) expectOneEach(ledger);
    for (const { request, command } of outputs.replies) {
      const solve = this.#solves.get(request);
      if (solve === undefined || command.tag !== "whole") continue;
      this.#solves.delete(request);
      expectEnd(solve, command.val.head.status === OK, recordsOf(ledger, changed));
    }
    if (input?.tag === "closed") this.#solves.delete(input.val.request);
  }

  crashed(): void {
    this.#solves.clear();
  }
}

function solveIn({ body }: engine.Request): Solve {
  const message =
    body.tag === "whole" ? (JSON.parse(new TextDecoder().decode(body.val)) as Record<string, unknown>) : {};
  return { ref: String(message["Ref"]), isInternal: message["Internal"] === true };
}

/** Records that the step has put, by ref. */
function recordsOf(ledger: Ledger, changed: readonly string[]): Map<string, PastBuildRecord> {
  const put = changed.flatMap((key) => ledger.json<PastBuildRecord>(key) ?? []);
  return new Map(put.map((record) => [record.ref, record]));
}

function expectEnd({ ref, isInternal }: Solve, isDone: boolean, records: ReadonlyMap<string, PastBuildRecord>): void {
  const record = records.get(ref);
  if (record === undefined) {
    // One that is refused at once has no record.
    if (isDone && !isInternal) broken(`the build ${ref} is done, and has no record`);
    return;
  }
  if (isInternal) broken(`the build ${ref} is internal, and has a record`);
  const isRight = (record.code ?? 0) === 0 && (record.error ?? "") === "";
  if (isRight !== isDone) broken(`the build ${ref} is ${isDone ? "done" : "failed"}, but its record says otherwise`);
}

function expectOneEach(ledger: Ledger): void {
  const keys = ledger.keys(PREFIX);
  if (keys.length > MOST) broken(`there are ${keys.length} records of builds`);
  const refs = keys.map((key) => ledger.json<PastBuildRecord>(PREFIX + key)!.ref);
  const twice = refs.find((ref, at) => refs.indexOf(ref) !== at);
  if (twice !== undefined) broken(`two records are of the build ${twice}`);
}

function broken(message: string): never {
  throw new Breach("past-builds", message);
}
