// A kernel for tests without root: it makes no calls but records them.

import type { Birth, ChildEnd, Device, Kernel, Path, Peer } from "../kernel.js";

/** One call: its name and arguments as text, in order. */
export type Recorded = [name: string, ...args: (string | number)[]];

export class Recorder implements Kernel {
  readonly calls: Recorded[] = [];
  readonly #attributes = new Map<string, Map<string, Uint8Array>>();
  readonly #failures = new Map<string, string>();

  /** Makes every later call of that name throw this errno (`EBUSY` …). */
  fail(name: keyof Kernel, code: string): void {
    this.#failures.set(name, code);
  }

  mount(source: string, target: string, type: string, flags: number, data: string): void {
    this.#record("mount", source, target, type, flags, data);
  }
  umount(target: string, flags: number): void {
    this.#record("umount", target, flags);
  }
  async mountAside(source: string, target: string, type: string, flags: number, data: string): Promise<void> {
    this.mount(source, target, type, flags, data);
  }
  async umountAside(target: string, flags: number): Promise<void> {
    this.umount(target, flags);
  }
  async mountSlowly(source: string, target: string, type: string, flags: number, data: string): Promise<void> {
    this.mount(source, target, type, flags, data);
  }
  mknod(path: Path, mode: number, device: Device): void {
    this.#record("mknod", String(path), mode, `${device.major}:${device.minor}`);
  }
  lsetxattr(path: Path, name: string, value: Uint8Array): void {
    this.#record("lsetxattr", String(path), name, Buffer.from(value).toString());
    const named = this.#attributes.get(String(path)) ?? new Map<string, Uint8Array>();
    this.#attributes.set(String(path), named.set(name, value));
  }
  lgetxattr(path: Path, name: string): Uint8Array | undefined {
    this.#record("lgetxattr", String(path), name);
    return this.#attributes.get(String(path))?.get(name);
  }
  fgetxattr(fd: number, name: string): Uint8Array | undefined {
    this.#record("fgetxattr", fd, name);
    return undefined;
  }
  dataFrom(fd: number, at: number): undefined {
    this.#record("dataFrom", fd, at);
  }
  llistxattr(path: Path): string[] {
    this.#record("llistxattr", String(path));
    return [...(this.#attributes.get(String(path))?.keys() ?? [])];
  }
  lutimens(path: Path, accessed: bigint, modified: bigint): void {
    this.#record("lutimens", String(path), String(accessed), String(modified));
  }
  openInRoot(directory: number, path: Path, flags: number): number {
    this.#record("openInRoot", directory, String(path), flags);
    return -1;
  }
  linkOpen(fd: number, path: Path): void {
    this.#record("linkOpen", fd, String(path));
  }
  exchange(one: Path, other: Path): void {
    this.#record("exchange", String(one), String(other));
  }
  spreadBelow(directory: number): void {
    this.#record("spreadBelow", directory);
  }
  async syncfs(fd: number): Promise<void> {
    this.#record("syncfs", fd);
  }
  unshare(flags: number): void {
    this.#record("unshare", flags);
  }
  async makeNetwork(file: string): Promise<void> {
    this.#record("makeNetwork", file);
  }
  setns(fd: number, kind: number): void {
    this.#record("setns", fd, kind);
  }
  chdir(path: string): void {
    this.#record("chdir", path);
  }
  kill(pid: number, signal: number): void {
    this.#record("kill", pid, signal);
  }
  sessionOf(pid: number): number | undefined {
    this.#record("sessionOf", pid);
    return undefined;
  }
  spawn({ program, args }: Birth): number {
    this.#record("spawn", program, ...args);
    return -1;
  }
  reap(pid: number): ChildEnd | undefined {
    this.#record("reap", pid);
    return { code: 0 };
  }
  resetOnFork(): void {
    this.#record("resetOnFork");
  }
  openNull(): number {
    this.#record("openNull");
    return -1;
  }
  openSealed(name: string): number {
    this.#record("openSealed", name);
    return -1;
  }
  pipe(): { read: number; write: number } {
    this.#record("pipe");
    return { read: -1, write: -1 };
  }
  peerOf(fd: number): Peer {
    this.#record("peerOf", fd);
    return { pid: 0, uid: 0, gid: 0 };
  }
  hungUp(fd: number): boolean {
    this.#record("hungUp", fd);
    return false;
  }
  shutdown(fd: number, how: number): void {
    this.#record("shutdown", fd, how);
  }
  connectSeqpacket(path: string): number {
    this.#record("connectSeqpacket", path);
    return -1;
  }
  descriptorOf(pid: number, fd: number): number {
    this.#record("descriptorOf", pid, fd);
    return -1;
  }
  receiveDescriptor(fd: number): number {
    this.#record("receiveDescriptor", fd);
    return -1;
  }
  setWindowSize(fd: number, rows: number, columns: number): void {
    this.#record("setWindowSize", fd, rows, columns);
  }
  makeRaw(fd: number): void {
    this.#record("makeRaw", fd);
  }
  unlockTerminal(fd: number): number {
    this.#record("unlockTerminal", fd);
    return 0;
  }
  openPeer(fd: number): number {
    this.#record("openPeer", fd);
    return -1;
  }
  setNonBlocking(fd: number): void {
    this.#record("setNonBlocking", fd);
  }
  duplicate(fd: number): number {
    this.#record("duplicate", fd);
    return -1;
  }
  readable(fd: number): number {
    this.#record("readable", fd);
    return 0;
  }
  hasEntryTypes(directory: string): boolean {
    this.#record("hasEntryTypes", directory);
    return true;
  }
  openNetlink(protocol: number): number {
    this.#record("openNetlink", protocol);
    return -1;
  }
  async netlink(fd: number, requests: Uint8Array): Promise<Uint8Array[]> {
    this.#record("netlink", fd, Buffer.from(requests).toString("hex"));
    return [];
  }
  interfaceIndex(name: string): number {
    this.#record("interfaceIndex", name);
    return 0;
  }
  bindPort(protocol: "tcp" | "udp", address: Uint8Array, port: number): number {
    this.#record("bindPort", protocol, address.join("."), port);
    return -1;
  }

  #record(name: keyof Kernel, ...args: (string | number)[]): void {
    this.calls.push([name, ...args]);
    const code = this.#failures.get(name);
    if (code) throw errnoException(code, name);
  }
}

function errnoException(code: string, syscall: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
}
