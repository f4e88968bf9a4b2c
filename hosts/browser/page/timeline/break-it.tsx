// What can go wrong, to be tried: every fault of the simulated world, and the end of the engine.

import { usePlayground, useSession } from "../context.js";
import { Menu, MenuItem } from "../menu.js";
import { FAULTS, type OfferedFault } from "./faults.js";

export function BreakIt() {
  const session = useSession();
  const set = session.faults.value;
  const down = session.engine.value === "down";
  const groups = [...new Set(FAULTS.map((one) => one.group))];
  return (
    <Menu label={<>Break it{(set.length > 0 || down) && <span class="dot" data-up={false} />}</>}>
      <p class="menu-title">The engine</p>
      <EngineItem down={down} />
      {groups.map((group) => (
        <div key={group} role="group" aria-label={group}>
          <p class="menu-title">{group}</p>
          {FAULTS.filter((one) => one.group === group).map((one) => (
            <FaultItem key={one.label} offered={one} set={set.some((other) => other.fault.kind === one.fault.kind)} />
          ))}
        </div>
      ))}
    </Menu>
  );
}

function EngineItem({ down }: { down: boolean }) {
  const playground = usePlayground();
  const session = useSession();
  const act = async (): Promise<void> => {
    await playground.run(down ? session.reopen() : session.crash());
    playground.notice.value = down
      ? "The engine is back: it compared its records with what it found."
      : "The engine was killed. Containers go on; start it again and see what it knows.";
  };
  return (
    <MenuItem act={() => void act()}>
      <span>{down ? "Start the engine again" : "Kill the engine now"}</span>
      <span class="small muted">
        {down ? "It mends what it finds half done" : "Requests fail; containers go on without it"}
      </span>
    </MenuItem>
  );
}

function FaultItem({ offered, set }: { offered: OfferedFault; set: boolean }) {
  const playground = usePlayground();
  const session = useSession();
  const { fault, times, label, watch } = offered;
  const act = async (): Promise<void> => {
    await playground.run(set ? session.lift(fault.kind) : session.inject(fault, times));
    playground.notice.value = set ? `No longer: ${label}.` : `${label}. ${watch}.`;
  };
  return (
    <MenuItem act={() => void act()} pressed={set}>
      <span>{label}</span>
      <span class="small muted">{set ? "Set: choose again to lift it" : watch}</span>
    </MenuItem>
  );
}
