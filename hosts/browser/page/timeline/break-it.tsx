// The "Break it" menu: every fault of the simulated world, and a crash of the engine.

import type { Fault } from "../../../simulated/index.js";
import { CRASH_HALFWAY, FAULT_TEXTS, type FaultText } from "../../lessons/fault-texts.js";
import { usePlayground, useSession } from "../context.js";
import { Menu, MenuItem } from "../menu.js";

const GROUPS: readonly { title: string; kinds: readonly Fault["kind"][] }[] = [
  {
    title: "Registry",
    kinds: [
      "registry-down",
      "registry-unauthorized",
      "registry-limited",
      "registry-fails",
      "registry-slow",
      "registry-cut",
      "registry-corrupt",
    ],
  },
  { title: "Disk", kinds: ["disk-full", "records-full"] },
  { title: "Networks", kinds: ["network-cut", "network-loss", "network-slow"] },
  {
    title: "Containers",
    kinds: ["ignore-sigterm", "die-at-once", "out-of-memory", "runtime-fails", "supervisor-lost"],
  },
];

export function BreakIt() {
  const session = useSession();
  const set = session.faults.value;
  const down = session.engine.value === "down";
  return (
    <Menu label={<>Break it{(set.length > 0 || down) && <span class="dot" data-up={false} />}</>} wide>
      <div role="group" aria-label="Engine">
        <p class="menu-title">Engine</p>
        <EngineItem down={down} />
        {!down && <FaultItem text={CRASH_HALFWAY} set={set.some((one) => one.fault.kind === "engine-crash")} />}
      </div>
      {GROUPS.map(({ title, kinds }) => (
        <div key={title} role="group" aria-label={title}>
          <p class="menu-title">{title}</p>
          {kinds.map((kind) => (
            <FaultItem key={kind} text={FAULT_TEXTS[kind]} set={set.some((one) => one.fault.kind === kind)} />
          ))}
        </div>
      ))}
    </Menu>
  );
}

function EngineItem({ down }: { down: boolean }) {
  const playground = usePlayground();
  const session = useSession();
  const { label, lookFor } = FAULT_TEXTS["engine-crash"];
  const act = async (): Promise<void> => {
    await playground.run(down ? session.reopen() : session.crash());
    playground.notice.value = down ? "The engine is back: it compared its records with what it found." : lookFor;
  };
  return (
    <MenuItem act={() => void act()}>
      <span>{down ? "Start the engine again" : label}</span>
      <span class="small muted">{down ? "It repairs half-done work." : lookFor}</span>
    </MenuItem>
  );
}

function FaultItem({ text, set }: { text: FaultText; set: boolean }) {
  const playground = usePlayground();
  const session = useSession();
  const { fault, times, label, lookFor } = text;
  const act = async (): Promise<void> => {
    await playground.run(set ? session.lift(fault.kind) : session.inject(fault, times));
    playground.notice.value = set ? `Lifted: ${label}.` : lookFor;
  };
  return (
    <MenuItem act={() => void act()} pressed={set}>
      <span>{label}</span>
      <span class="small muted">{set ? "Active. Choose it again to lift it." : lookFor}</span>
    </MenuItem>
  );
}
