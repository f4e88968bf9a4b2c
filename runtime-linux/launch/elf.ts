// The little that is needed here of executables (elf(5)).

/** Whether an executable runs without a dynamic loader: it has program headers, but no PT_INTERP. */
export function isStatic(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  if (file.length < 64 || view.getUint32(0) !== MAGIC) return false;
  const wide = file[EI_CLASS] === ELFCLASS64;
  const little = file[EI_DATA] === ELFDATA2LSB;
  const start = wide ? Number(view.getBigUint64(32, little)) : view.getUint32(28, little);
  const size = view.getUint16(wide ? 54 : 42, little);
  const count = view.getUint16(wide ? 56 : 44, little);
  if (count === 0 || start + count * size > file.length) return false;
  for (let index = 0; index < count; index++) {
    if (view.getUint32(start + index * size, little) === PT_INTERP) return false;
  }
  return true;
}

const MAGIC = 0x7f454c46;
const EI_CLASS = 4;
const EI_DATA = 5;
const ELFCLASS64 = 2;
const ELFDATA2LSB = 1;
const PT_INTERP = 3;
