// Makes jco's glue quicker. At every access it asks the memory for its buffer, which is slow, although a buffer is
// replaced only when the memory grows. And it copies bytes by way of a buffer, which takes twice as long as `slice` of
// a typed array.

/** `let a=new DataView(new ArrayBuffer);const n=e=>a.buffer===e.buffer?a:a=new DataView(e.buffer)` */
const VIEW =
  /let ([\w$]+)=new DataView\(new ArrayBuffer\);const ([\w$]+)=([\w$]+)=>\1\.buffer===\3\.buffer\?\1:\1=new DataView\(\3\.buffer\)/;
/** `new Uint8Array(a.buffer.slice(g,g+1*b))` */
const COPY = /new Uint8Array\(([\w$]+)\.buffer\.slice\(([\w$]+),\2\+1\*([\w$]+)\)\)/g;

/** The same glue with fewer calls. Throws if it does not have the form that jco 1.13 gives it. */
export function quickened(glue: string): string {
  if (!VIEW.test(glue) || glue.search(COPY) < 0) throw new Error("jco's glue does not access the memory as expected");
  return glue
    .replace(VIEW, (_, view: string, viewOf: string) => lasting(view, viewOf))
    .replace(COPY, "copied$($1,$2,$3)");
}

/**
 * The array of a memory that has grown is detached, and its length is 0. The minifier gives no names as long as these.
 */
function lasting(view: string, viewOf: string): string {
  const renewed = `(bytes$=new Uint8Array(memory$.buffer),${view}=new DataView(memory$.buffer))`;
  const copied = `copied$=(memory$,at$,length$)=>(${viewOf}(memory$),bytes$.slice(at$,at$+length$))`;
  return `let ${view},bytes$=new Uint8Array;const ${viewOf}=memory$=>bytes$.length>0?${view}:${renewed},${copied}`;
}
