// Keeps the error message of a failing core. Wasm tells the host only "unreachable", and the world has no import for
// more. So the message stays in memory, where the host reads it (hosts/driver/component.ts). This module imports
// nothing and keeps no state outside its area, since it is compiled before everything else.

// Four u32: the address of the message (a string, may be 0), the address of the file's name (likewise), line, column.
function area(): usize {
  return memory.data(16, 4);
}

// Replaces AssemblyScript's `abort`, which assertions and `throw` call. Only the first failure is kept.
export function onAbort(message: string | null, file: string | null, line: u32, column: u32): void {
  const at = area();
  if (!load<u32>(at, 8)) {
    store<u32>(at, changetype<usize>(message));
    store<u32>(at, changetype<usize>(file), 4);
    store<u32>(at, line, 8);
    store<u32>(at, column, 12);
  }
  unreachable();
}

export function trapped(): usize {
  return area();
}
