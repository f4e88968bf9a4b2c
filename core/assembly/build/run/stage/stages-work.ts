// The stages of a build that the target needs. Those that wait for no other are built side by side.

import { Image } from "../../../image/image";
import { Call } from "../../../call";
import { engine } from "../../../state";
import { BuildFacts } from "../build-facts";
import { HeldOutput, HeldReader } from "../output/held-output";
import { StageOutput } from "../output/stage-output";
import { Telling, TellingClient } from "../output/telling";
import { OpenWork } from "../work";
import { StageClient, StageWork } from "./stage-work";

/** How many stages are built at once: as many as there are processors, within these limits. */
const FEWEST: i32 = 2;
const MOST: i32 = 8;

/** Waits for the stages. */
export interface StagesClient {
  /** All is told, too. */
  stagesMade(): void;
  /** A stage has failed: nothing more is done, and something may still have to be told. */
  stagesEnded(): void;
  /** A step needs the files of the context, which have not been fetched. */
  contextWanted(): void;
  /** The failure can be told now. `code`: exit code of the program that failed; 0 if none did. */
  stagesFailed(why: string, code: i32): void;
}

export class StagesWork implements StageClient, TellingClient, HeldReader, OpenWork {
  private readonly works: (StageWork | null)[] = [];
  private readonly telling: Telling = new Telling();
  private readonly held: HeldOutput = new HeldOutput();
  /** How many are being built, without those that wait for another one. */
  private running: i32 = 0;
  private readonly atOnce: i32 = max(FEWEST, min(MOST, <i32>engine.options.machine.cpus));
  private advancing: bool = false;
  /** Something has happened after which another stage may begin. */
  private changed: bool = true;
  /** For the stages to hold less. */
  private waitsForRoom: bool = false;
  private wantsContext: bool = false;
  private failed: bool = false;
  private why: string = "";
  private code: i32 = 0;

  constructor(
    private readonly facts: BuildFacts,
    private readonly client: StagesClient,
  ) {}

  /** `before`: number of the step before the first stage. */
  begin(call: Call, before: i32): void {
    const facts = this.facts;
    const outputs: StageOutput[] = [];
    let next = before;
    for (let i = 0; i < facts.stages.all.length; i++) {
      const output = new StageOutput(call, facts.stream.progress, facts.stream, this.held);
      facts.addStage(facts.stream.ofStage(output), output, next);
      this.works.push(null);
      if (!facts.stages.needed.includes(i)) continue;
      outputs.push(output);
      next += facts.stages.all[i].instructions.length + 1;
    }
    this.telling.begin(outputs, this);
    this.advance();
  }

  stageMade(stage: StageWork): void {
    const image: Image | null = stage.image;
    this.running -= 1;
    this.changed = true;
    this.works[stage.plan.index] = null;
    this.facts.take(stage.plan.index, image);
    if (image !== null) this.facts.streamOf(stage.plan.index).made(image);
    this.telling.finish(this.facts.outputOf(stage.plan.index));
    this.advance();
  }

  stageParked(): void {
    this.running -= 1;
    this.stepLeft();
  }

  contextWanted(): void {
    if (this.wantsContext) return;
    this.wantsContext = true;
    this.client.contextWanted();
  }

  /** Stages may wait for it. */
  contextCame(): void {
    for (let i = 0; i < this.works.length; i++) {
      const work = this.works[i];
      if (work !== null) work.contextCame();
    }
  }

  stepLeft(): void {
    this.changed = true;
    this.advance();
  }

  heldLess(): void {
    this.waitsForRoom = false;
    this.stepLeft();
  }

  stageFailed(stage: StageWork, why: string, code: i32): void {
    this.failed = true;
    this.why = why;
    this.code = code;
    this.facts.over = true;
    this.cancelWorks(stage);
    this.facts.stream.failsIn(this.facts.streamOf(stage.plan.index));
    this.client.stagesEnded();
    this.tellHeld(stage.plan.index);
    this.telling.finishWith(this.facts.outputOf(stage.plan.index));
  }

  allTold(): void {
    if (this.failed) this.client.stagesFailed(this.why, this.code);
    else this.client.stagesMade();
  }

  cancel(): void {
    if (!this.failed) this.cancelWorks(null);
    this.telling.drop();
  }

  /** Of the stages up to the one that fails. */
  private tellHeld(last: i32): void {
    const facts = this.facts;
    facts.stream.tellHeld();
    for (let i = 0; i <= last; i++) if (i == last || facts.isMade(i)) facts.streamOf(i).tellHeld();
  }

  private cancelWorks(except: StageWork | null): void {
    for (let i = 0; i < this.works.length; i++) {
      const work = this.works[i];
      if (work !== null && work !== except && !this.facts.isMade(i)) work.cancel();
    }
  }

  /** A loop, since there may be hundreds of stages that need no host. */
  private advance(): void {
    if (this.advancing) return;
    this.advancing = true;
    while (this.changed && !this.facts.over) {
      this.changed = false;
      this.beginReady();
    }
    this.advancing = false;
    if (!this.held.isTooMuch || this.waitsForRoom || this.facts.over) return;
    this.waitsForRoom = true;
    this.held.whenRoom(this);
  }

  /** The first stage that is not made always goes on, since others may wait for its turn to tell what they hold. */
  private beginReady(): void {
    const facts = this.facts;
    const needed = facts.stages.needed;
    let isFirst = true;
    for (let i = 0; i < needed.length && !facts.over; i++) {
      const at = needed[i];
      if (facts.isMade(at)) continue;
      if (isFirst || (this.running < this.atOnce && !this.held.isTooMuch)) this.goOn(at);
      isFirst = false;
    }
  }

  private goOn(index: i32): void {
    const work = this.works[index];
    if (work === null) {
      if (this.facts.areMade(this.facts.stages.all[index].needsFirst)) this.beginStage(index);
    } else if (work.canGoOn) {
      this.running += 1;
      work.goOn();
    }
  }

  private beginStage(index: i32): void {
    const stage = new StageWork(this.facts.stages.all[index], this.facts, this);
    this.works[index] = stage;
    this.running += 1;
    stage.begin();
  }
}
