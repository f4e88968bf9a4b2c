// A client with one container at a time: its state, exit code, name, limits, output, files, and the effects of its
// execs.
import { expect } from "vitest";
import { until } from "../commands.js";
import { frames } from "../frames.js";
import { tarOf } from "../archives/images.js";
import { readTar } from "../archives/read-tar.js";
import { Client, type CutBy, type Door, type Step } from "./client.js";
import { ToldEvents } from "./told-events.js";

type State = "none" | "created" | "running" | "paused" | "exited";

const SCRIPT = `trap 'exit 3' TERM; i=0; while :; do i=$((i+1)); echo line $i; sleep 0.2 & wait $!; done`;
const CONFIG = { Image: "busybox", Cmd: ["sh", "-c", SCRIPT], Volumes: { "/data": {} } };

interface Inspected {
  readonly Id: string;
  readonly Name: string;
  readonly HostConfig: { readonly CpuShares: number };
  readonly State: { readonly Status: string; readonly Pid: number; readonly ExitCode: number };
}

/** The real processes of containers. */
export interface Processes {
  runs(pid: number): boolean;
  /** Whether anything is left of a container that is not running. */
  isLeft(id: string): boolean;
}

/** States that the engine is about to leave. */
const PASSING = ["removing", "restarting"];

export class ContainerClient extends Client {
  /** The state that was reported, and the part of it that a check has confirmed. */
  #state: State = "none";
  #id = "";
  #exitCode: number | null = null;
  #shares = 0;
  #starts = 0;
  /** Process that must still exist; 0 if unknown. */
  #pid = 0;
  #copied: string | null = null;
  /** Marks that execs left in a file and reported. */
  #marks: string[] = [];
  /** The name that it is about to get, or had before: see `rename`. */
  #otherName: string;
  #count = 0;
  readonly #events = new ToldEvents();
  protected readonly steps: readonly Step[];

  constructor(
    engine: Door,
    random: (limit: number) => number,
    private name: string,
    private readonly processes: Processes,
    private readonly ids: Set<string> = new Set(),
  ) {
    super(engine, random);
    this.#otherName = `${name}-renamed`;
    const step = (name: string, from: readonly State[], act: () => Promise<void>): Step => {
      return { name, fits: () => from.includes(this.#state), act };
    };
    const there: readonly State[] = ["created", "running", "paused", "exited"];
    this.steps = [
      step("create", ["none"], () => this.#create()),
      step("start", ["created", "exited"], () => this.#start()),
      step("stop", ["running"], () => this.#stop()),
      step("kill", ["running"], () => this.#kill()),
      step("restart", ["running"], () => this.#restart()),
      step("exec", ["running"], () => this.#exec()),
      step("detached exec", ["running"], () => this.#execDetached()),
      step("pause", ["running"], () => this.#become("paused", "pause")),
      step("unpause", ["paused"], () => this.#become("running", "unpause")),
      step("update", there, () => this.#update()),
      step("rename", there, () => this.#rename()),
      step("copy", ["created", "running", "exited"], () => this.#copy()),
      step("remove", there, () => this.#remove()),
    ];
  }

  async #create(): Promise<void> {
    const { Id } = (await this.ask([201], "POST", `/containers/create?name=${this.name}`, CONFIG)).json<Inspected>();
    this.ids.add(Id);
    this.#id = Id;
    this.#events.tell(Id, "create");
    this.#state = "created";
  }

  async #start(): Promise<void> {
    this.#starts += 1;
    this.#pid = 0;
    await this.#become("running", "start");
    this.#exitCode = null;
  }

  async #restart(): Promise<void> {
    this.#starts += 1;
    this.#pid = 0;
    await this.#become("running", "restart?t=0");
  }

  /** A shell at its very beginning has no trap yet, so it ends only by SIGKILL. */
  async #stop(): Promise<void> {
    await this.#become("exited", "stop?t=5");
    await this.#learnEnd([3, 137]);
  }

  /** The answer confirms only the signal; the answer of the wait confirms the end. */
  async #kill(): Promise<void> {
    this.#pid = 0;
    await this.ask([204], "POST", `/containers/${this.name}/kill`);
    this.#events.tell(this.#id, "kill");
    await this.#learnEnd([137]);
    this.#events.tell(this.#id, "die");
    this.#state = "exited";
  }

  async #learnEnd(codes: readonly number[]): Promise<void> {
    const answer = await this.ask([200], "POST", `/containers/${this.name}/wait`);
    const { StatusCode } = answer.json<{ StatusCode: number }>();
    expect(codes, `${this.describe()}: ended with ${StatusCode}`).toContain(StatusCode);
    this.#exitCode = StatusCode;
  }

  async #become(state: State, how: string): Promise<void> {
    await this.ask([204], "POST", `/containers/${this.name}/${how}`);
    this.#events.tell(this.#id, how.split("?")[0]!);
    this.#state = state;
  }

  async #exec(): Promise<void> {
    const mark = `mark-${(this.#count += 1)}`;
    const wish = { Cmd: ["sh", "-c", `echo ${mark} >> /marks; exit 7`], AttachStdout: true };
    const { Id } = (await this.ask([201], "POST", `/containers/${this.name}/exec`, wish)).json<{ Id: string }>();
    this.#events.tell(Id, "exec_create");
    await this.ask([200], "POST", `/exec/${Id}/start`, {});
    // The client attaches before the exec begins. If it is cut off in between, the exec never begins.
    this.#events.tell(Id, "exec_start");
    // The stream may end because the daemon ended. Only this request confirms the end of the exec.
    const { ExitCode } = (await this.ask([200], "GET", `/exec/${Id}/json`)).json<{ ExitCode: number }>();
    this.#events.tell(Id, "exec_die");
    expect(ExitCode, this.describe()).toBe(7);
    this.#marks.push(mark);
  }

  /** Nothing waits for its end. */
  async #execDetached(): Promise<void> {
    const answer = await this.ask([201], "POST", `/containers/${this.name}/exec`, { Cmd: ["true"] });
    const { Id } = answer.json<{ Id: string }>();
    this.#events.tell(Id, "exec_create");
    await this.ask([200], "POST", `/exec/${Id}/start`, { Detach: true });
    this.#events.began(Id);
  }

  async #update(): Promise<void> {
    const CpuShares = 512 + (this.#count += 1);
    await this.ask([200], "POST", `/containers/${this.name}/update`, { CpuShares });
    this.#events.tell(this.#id, "update");
    this.#shares = CpuShares;
  }

  async #rename(): Promise<void> {
    await this.ask([204], "POST", `/containers/${this.name}/rename?name=${this.#otherName}`);
    this.#events.tell(this.#id, "rename");
    [this.name, this.#otherName] = [this.#otherName, this.name];
  }

  async #copy(): Promise<void> {
    const body = `copied ${(this.#count += 1)}`;
    const tar = await tarOf([{ name: "copied", body }]);
    await this.ask([200], "PUT", `/containers/${this.name}/archive?path=/`, tar);
    this.#events.tell(this.#id, "extract-to-dir");
    this.#copied = body;
  }

  async #remove(): Promise<void> {
    await this.ask([204], "DELETE", `/containers/${this.name}?force=1&v=1`);
    this.#events.tell(this.#id, "destroy");
    this.#forget();
  }

  async check(by: CutBy): Promise<void> {
    const found = await until(`${this.describe()}: a state that stays`, async () => {
      const now = await this.#inspect();
      return now !== null && PASSING.includes(now.State.Status) ? null : { now };
    });
    await this.#events.check(this.engine, this.describe(), found.now?.State.Status === "paused");
    if (found.now === null) this.#checkGone();
    else await this.#checkThere(found.now, by);
    await this.#settle();
    this.asked = null;
  }

  #checkGone(): void {
    const may = this.#state === "none" || this.asked === "remove";
    expect(may, `is gone: ${this.describe()}`).toBe(true);
    this.#forget();
  }

  async #checkThere(now: Inspected, by: CutBy): Promise<void> {
    const { Id, Name, HostConfig, State } = now;
    const told = `${this.describe()}, found ${JSON.stringify(now)}`;
    this.remember(`${by}: found ${State.Status}`);
    if (by === "power loss") this.#endUnseen();
    expect(this.#possible(by), told).toContain(State.Status);
    if (this.#state === "none") this.#id = Id;
    this.ids.add(Id);
    expect(Id, told).toBe(this.#id);
    if (Name !== `/${this.name}`) {
      expect([this.asked, Name], told).toEqual(["rename", `/${this.#otherName}`]);
      [this.name, this.#otherName] = [this.#otherName, this.name];
    }
    if (this.asked !== "update") expect(HostConfig.CpuShares, told).toBe(this.#shares);
    this.#shares = HostConfig.CpuShares;
    this.#checkEnd(State, told);
    this.#state = State.Status as State;
    await this.#checkProcess(State, told);
    await this.#checkOutput(told);
    await this.#checkFiles(told);
  }

  /** The process is gone, and its exit code is unknown. */
  #endUnseen(): void {
    if (this.#state !== "running" && this.#state !== "paused") return;
    this.#state = "exited";
    this.#exitCode = null;
  }

  /** The possible states: the reported one, and those that the unanswered request leads to. */
  #possible(by: CutBy): string[] {
    const runs = by === "kill" || this.asked === "restart" ? ["running"] : [];
    switch (this.asked) {
      case "create":
        return ["created"];
      case "start":
        return [this.#state, "exited", ...runs];
      case "stop":
      case "kill":
        return [this.#state, "exited"];
      case "restart":
        return [this.#state, "exited", ...runs];
      case "remove":
        // A paused container is thawed so that it can be killed.
        return [this.#state, "exited", ...(this.#state === "paused" ? ["running"] : [])];
      case "pause":
      case "unpause":
        return by === "kill" ? ["running", "paused"] : ["exited"];
      default:
        return [this.#state];
    }
  }

  #checkEnd({ Status, ExitCode }: Inspected["State"], told: string): void {
    if (Status !== "exited") this.#exitCode = null;
    else if (this.#exitCode !== null && this.asked !== "start") expect(ExitCode, told).toBe(this.#exitCode);
    else this.#exitCode = ExitCode;
  }

  async #checkProcess({ Pid }: Inspected["State"], told: string): Promise<void> {
    // One process ends, another starts.
    if (this.asked === "restart") return;
    if (this.#state !== "running" && this.#state !== "paused") {
      this.#pid = 0;
      expect(Pid, told).toBe(0);
      // Its supervisor may take a moment longer.
      await until(`${told}: no supervisor`, () => !this.processes.isLeft(this.#id));
      return;
    }
    expect(this.processes.runs(Pid), told).toBe(true);
    if (this.#pid !== 0) expect(Pid, told).toBe(this.#pid);
    this.#pid = Pid;
  }

  /** Each run's lines are complete from the first on, without gaps or torn lines. */
  async #checkOutput(told: string): Promise<void> {
    const answer = await this.ask([200], "GET", `/containers/${this.name}/logs?stdout=1&stderr=1`);
    const lines = frames(answer.body).stdout.split("\n").slice(0, -1);
    let runs = 0;
    let last = 0;
    for (const line of lines) {
      last = line === "line 1" ? 1 : last + 1;
      if (last === 1) runs += 1;
      expect(line, `${told}: ${lines.join(", ")}`).toBe(`line ${last}`);
    }
    // A start that was cut off may be repeated once.
    expect(runs, told).toBeLessThanOrEqual(this.#starts + (this.asked === null ? 0 : 1));
    this.#starts = Math.max(this.#starts, runs);
  }

  async #checkFiles(told: string): Promise<void> {
    const copied = await this.#file("/copied");
    if (this.asked !== "copy") expect(copied, told).toBe(this.#copied);
    else if (copied !== this.#copied) expect(copied, told).toBe(`copied ${this.#count}`);
    this.#copied = copied;
    const marks = (await this.#file("/marks"))?.split("\n").slice(0, -1) ?? [];
    // A pending exec may leave its mark later.
    expect(
      marks.filter((mark) => this.#marks.includes(mark)),
      told,
    ).toEqual(this.#marks);
  }

  async #file(path: string): Promise<string | null> {
    const answer = await this.ask([200, 404], "GET", `/containers/${this.name}/archive?path=${path}`);
    return answer.status === 404 ? null : ((await readTar(answer.body))[0]?.text ?? "");
  }

  /** A pending request may still take effect: waits until it does or cannot. */
  async #settle(): Promise<void> {
    if (this.#state === "none") return;
    if (this.asked === "remove") return this.clear();
    if (this.asked === "stop" || this.asked === "kill") {
      await this.ask([204, 304], "POST", `/containers/${this.name}/stop?t=0`);
      this.#state = "exited";
      this.#exitCode = (await this.#inspect())?.State.ExitCode ?? null;
    }
    if (this.asked !== "restart") return;
    // The engine continues the restart, whatever the state is now; another one follows.
    this.#starts += 1;
    await this.#restart();
    this.#exitCode = null;
  }

  async clear(): Promise<void> {
    await this.ask([204, 404, 409], "DELETE", `/containers/${this.name}?force=1&v=1`);
    await until(`${this.describe()}: to be gone`, async () => (await this.#inspect()) === null);
    this.#forget();
  }

  /** By either name, because a rename may have been pending. */
  async #inspect(): Promise<Inspected | null> {
    for (const name of [this.name, this.#otherName]) {
      const answer = await this.ask([200, 404], "GET", `/containers/${name}/json`);
      if (answer.status === 200) return answer.json<Inspected>();
    }
    return null;
  }

  #forget(): void {
    this.#state = "none";
    this.#id = "";
    this.#exitCode = this.#copied = null;
    this.#shares = this.#starts = this.#pid = 0;
    this.#marks = [];
  }

  protected describe(): string {
    const [state, id, exitCode, pid] = [this.#state, this.#id, this.#exitCode, this.#pid];
    const { name, asked, history } = this;
    return JSON.stringify({ name, state, id, exitCode, pid, asked, marks: this.#marks, history });
  }
}
