// `--chmod`: octal digits, or changes as of chmod(1): `u+x,go=r`, `g=u`, `a+X`.

/** One change of a mode, with the meaning of `mode-change` in the WIT. */
export class ModeRule {
  removes: bool = false;
  keeps: u32 = ALL;
  bits: u32 = 0;
  executable: u32 = 0;
  /** 6, 3 or 0; -1 for no class. */
  like: i32 = -1;
  who: u32 = 0;
}

const ALL: u32 = 0o7777;
/** The bits that a change without a class leaves alone: the usual umask. */
const UMASK: u32 = 0o022;
const MOST_UNITS: i32 = 256;

/** The changes in order; empty if the text is none. */
export function parseMode(text: string): ModeRule[] {
  if (text.length == 0 || text.length > MOST_UNITS) return [];
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) return octal(text);
  const rules: ModeRule[] = [];
  const clauses = text.split(",");
  for (let i = 0; i < clauses.length; i++) if (!readClause(clauses[i], rules)) return [];
  return rules;
}

function octal(text: string): ModeRule[] {
  let mode: u32 = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 7 || mode > ALL) return [];
    mode = mode * 8 + digit;
  }
  if (mode > ALL) return [];
  const rule = new ModeRule();
  rule.keeps = 0;
  rule.bits = mode;
  return [rule];
}

/** Classes, then one or more operators with their permissions. False if it is malformed. */
function readClause(clause: string, rules: ModeRule[]): bool {
  let who: u32 = 0;
  let at = 0;
  for (; at < clause.length && maskOf(clause.charCodeAt(at)) != 0; at++) who |= maskOf(clause.charCodeAt(at));
  if (at == clause.length) return false;
  const sets = who == 0 ? ALL : who;
  const changes = who == 0 ? ALL & ~UMASK : who;
  while (at < clause.length) {
    const operator = clause.charCodeAt(at++);
    if (operator != PLUS && operator != MINUS && operator != EQUALS) return false;
    const rule = new ModeRule();
    rule.removes = operator == MINUS;
    rule.keeps = operator == EQUALS ? ALL & ~sets : ALL;
    at = readPermissions(clause, at, rule, changes);
    rules.push(rule);
  }
  return true;
}

/** Where the permissions end. */
function readPermissions(clause: string, from: i32, rule: ModeRule, who: u32): i32 {
  let at = from;
  if (at < clause.length && isClass(clause.charCodeAt(at))) {
    rule.like = shiftOf(clause.charCodeAt(at));
    rule.who = who & 0o777;
    return at + 1;
  }
  for (; at < clause.length; at++) {
    const unit = clause.charCodeAt(at);
    if (unit == 0x58) rule.executable = 0o111 & who;
    else if (bitsOf(unit) != 0) rule.bits |= bitsOf(unit) & who;
    else break;
  }
  return at;
}

const PLUS: i32 = 0x2b;
const MINUS: i32 = 0x2d;
const EQUALS: i32 = 0x3d;

function isClass(unit: i32): bool {
  return unit == 0x75 || unit == 0x67 || unit == 0x6f;
}

/** The bits of a class: `u`, `g`, `o` or `a`; 0 for anything else. */
function maskOf(unit: i32): u32 {
  if (unit == 0x75) return 0o4700;
  if (unit == 0x67) return 0o2070;
  if (unit == 0x6f) return 0o1007;
  return unit == 0x61 ? ALL : 0;
}

function shiftOf(unit: i32): i32 {
  return unit == 0x75 ? 6 : unit == 0x67 ? 3 : 0;
}

/** `r`, `w`, `x`, `s` and `t` for all classes; 0 for anything else. */
function bitsOf(unit: i32): u32 {
  if (unit == 0x72) return 0o444;
  if (unit == 0x77) return 0o222;
  if (unit == 0x78) return 0o111;
  if (unit == 0x73) return 0o6000;
  return unit == 0x74 ? 0o1000 : 0;
}
