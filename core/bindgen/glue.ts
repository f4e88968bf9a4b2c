// Makes jco's glue quicker and smaller. At every access it asks the memory for its buffer, which is slow, although a
// buffer is replaced only when the memory grows. It copies bytes by way of a buffer, which takes twice as long as `slice`
// of a typed array. And it writes out what it does for each of some 600 texts, which the playground's first load would
// contain: two functions take a quarter of its compressed size away. A third one finds the number of an enum's case in a
// list, instead of a `switch` with a branch for each case.

/** `let a=new DataView(new ArrayBuffer);const n=e=>a.buffer===e.buffer?a:a=new DataView(e.buffer)` */
const VIEW =
  /let ([\w$]+)=new DataView\(new ArrayBuffer\);const ([\w$]+)=([\w$]+)=>\1\.buffer===\3\.buffer\?\1:\1=new DataView\(\3\.buffer\)/;
/** `new Uint8Array(a.buffer.slice(g,g+b*1))` */
const COPY = /new Uint8Array\(([\w$]+)\.buffer\.slice\(([\w$]+),\2\+([\w$]+)\*1\)\)/g;
/** `a=n(r).getInt32(e+16,!0),b=n(r).getInt32(e+20,!0),c=d.decode(new Uint16Array(r.buffer,a,b))` */
const READ =
  /([\w$]+)=([\w$]+)\(([\w$]+)\)\.getInt32\(([\w$]+)\+(\d+),!0\),([\w$]+)=\2\(\3\)\.getInt32\(\4\+(\d+),!0\),([\w$]+)=([\w$]+)\.decode\(new Uint16Array\(\3\.buffer,\1,\6\)\)/g;
/** `var a=g(t,f,r),b=t.length;n(r).setInt32(e+20,b,!0),n(r).setInt32(e+16,a,!0)`, perhaps behind other variables. */
const WRITE =
  /(var |,)([\w$]+)=([\w$]+)\(([\w$]+),([\w$]+),([\w$]+)\),([\w$]+)=\4\.length;([\w$]+)\(\6\)\.setInt32\(([\w$]+)\+(\d+),\7,!0\),\8\(\6\)\.setInt32\(\9\+(\d+),\2,!0\)/g;
/** `let t;switch(v){case"client":{t=0;break}case"engine":{t=1;break}default:throw w instanceof Error&&…}` */
const CASES =
  /let ([\w$]+);switch\(([\w$]+)\)\{((?:case"[\w-]+":\{\1=\d+;break\})+)default:throw ([\w$]+) instanceof Error&&console\.error\(\4\),new TypeError\(`"\$\{\2\}" is not one of the cases of ([\w-]+)`\)\}/g;

/** The same glue with fewer calls and less text. Throws if it does not have the form that jco 1.13 and esbuild give it. */
export function quickened(glue: string): string {
  const [, view, viewOf] = VIEW.exec(glue) ?? [];
  const decoder = glue.matchAll(READ).next().value?.[9];
  const encode = glue.matchAll(WRITE).next().value?.[3];
  const hasForms = glue.search(COPY) >= 0 && glue.search(CASES) >= 0;
  const isKnown = hasForms && decoder !== undefined && encode !== undefined;
  if (view === undefined || viewOf === undefined || !isKnown) {
    throw new Error("jco's glue does not access the memory as expected");
  }
  return counted(glue)
    .replace(VIEW, () => `${lasting(view, viewOf)},${texts(viewOf, decoder, encode)},${CASE}`)
    .replace(COPY, "copied$($1,$2,$3)")
    .replace(READ, (all, _at, _viewOf, memory, base, at, _length, next, text) =>
      Number(next) === Number(at) + 4 ? `${text}=text$(${memory},${base}+${at})` : all,
    )
    .replace(WRITE, (all, lead, _at, _encode, text, allocate, memory, _length, _viewOf, base, next, at) => {
      if (Number(next) !== Number(at) + 4) return all;
      return `${lead === "," ? ";" : ""}write$(${text},${allocate},${memory},${base}+${at})`;
    });
}

/** Finds the number of an enum's case in a list of all: jco numbers them from 0 in that order. */
function counted(glue: string): string {
  return glue.replace(CASES, (_all, number: string, given: string, branches: string, _error, name: string) => {
    const cases = [...branches.matchAll(/case("[\w-]+")/g)].map(([, one]) => one);
    return `const ${number}=case$([${cases.join()}],${given},"${name}");`;
  });
}

const CASE = `case$=(cases$,given$,name$)=>{
const at$=cases$.indexOf(given$);if(at$<0)throw new TypeError(\`"\${given$}" is not one of the cases of \${name$}\`);
return at$}`;

/**
 * The array of a memory that has grown is detached, and its length is 0. The minifier gives no names as long as these.
 */
function lasting(view: string, viewOf: string): string {
  const renewed = `(bytes$=new Uint8Array(memory$.buffer),${view}=new DataView(memory$.buffer))`;
  const copied = `copied$=(memory$,at$,length$)=>(${viewOf}(memory$),bytes$.slice(at$,at$+length$))`;
  return `let ${view},bytes$=new Uint8Array;const ${viewOf}=memory$=>bytes$.length>0?${view}:${renewed},${copied}`;
}

/** Read and write a text by its address and length, which are at `at$`. Room for a text may make the memory grow. */
function texts(viewOf: string, decoder: string, encode: string): string {
  const word = (offset: number): string => `${viewOf}(memory$).getInt32(at$+${offset},!0)`;
  const read = `text$=(memory$,at$)=>${decoder}.decode(new Uint16Array(memory$.buffer,${word(0)},${word(4)}))`;
  const put = (offset: number, value: string): string => `${viewOf}(memory$).setInt32(at$+${offset},${value},!0)`;
  const room = `const place$=${encode}(given$,allocate$,memory$)`;
  return `${read},write$=(given$,allocate$,memory$,at$)=>{${room};${put(4, "given$.length")},${put(0, "place$")}}`;
}
