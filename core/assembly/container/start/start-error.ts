// Why a container could not be started: the message, the exit code and the answer (surface §2.3, §6.2).

import { Refusal } from "../../refusal";

/** Exit code when a start failed for a reason other than its program. */
export const OTHER_CODE = 128;

export class StartError {
  constructor(
    readonly text: string,
    readonly exitCode: i32,
    readonly refusal: Refusal,
  ) {}
}
