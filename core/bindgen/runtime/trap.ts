// Where a failing core leaves its last words. Wasm gives the host nothing but "unreachable", and the world has no import
// to say more: so the message stays in memory, and whoever holds the core instance reads it there (hosts/driver/component.ts).
// A leaf: it imports nothing and keeps no state outside its area, for it is compiled before everything else.

// Four u32: address of the message (a string, may be 0), of the file's name (the same), line, column.
function area(): usize {
  return memory.data(16, 4);
}

// Takes the place of AssemblyScript's `abort`: assertions and `throw` end here. The first failure counts.
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
