// Commands of a cell other than sending it.

import type { Cell } from "../../session/cell.js";
import { usePlayground, useSession } from "../context.js";
import { Menu, MenuItem } from "../menu.js";

export interface CellMenuProps {
  cell: Cell;
  place: number;
  last: boolean;
}

const MOST_EXCHANGES = 12;

export function CellMenu({ cell, place, last }: CellMenuProps) {
  const playground = usePlayground();
  const session = useSession();
  const exchanges = session.exchanges.value.slice(-MOST_EXCHANGES);
  const sendBefore = async (exchange: number): Promise<void> => {
    const branch = await playground.run(session.branchWith(cell.id, exchange));
    if (branch === undefined) return;
    await playground.replace(branch, { kind: "branch" });
    playground.notice.value = "The past was replayed with this request in it.";
  };
  return (
    <Menu label="⋯" name={`More for request ${place + 1}`} plain>
      <MenuItem act={() => playground.show(session.duplicate(cell.id).id)}>Duplicate</MenuItem>
      <MenuItem act={() => session.move(cell.id, place - 1)} disabled={place === 0}>
        Move up
      </MenuItem>
      <MenuItem act={() => session.move(cell.id, place + 1)} disabled={last}>
        Move down
      </MenuItem>
      <MenuItem act={() => session.remove(cell.id)}>Remove</MenuItem>
      {exchanges.length > 0 && <p class="menu-title">Replay everything, with this request sent before…</p>}
      {exchanges.map(({ number, request }) => (
        <MenuItem key={number} act={() => void sendBefore(number)}>
          <span class="wire clip">
            {number}. {request.method} {request.target}
          </span>
        </MenuItem>
      ))}
    </Menu>
  );
}
