// `HostConfig.SecurityOpt`: entries `key=value`, or `key:value` from old clients.

import { Json } from "../../json/json";

export class SecurityOptions {
  /** `default`, `unconfined`, or a profile's JSON. */
  seccomp: string = "default";
  noNewPrivileges: bool = false;
  /** `systempaths=unconfined`: no path is masked or read-only. */
  unmasked: bool = false;
  /** An invalid option, in Docker's words; empty if there is none. */
  problem: string = "";
  /** A valid option that would have an effect but is not implemented. */
  notBuilt: string = "";
}

/** Whether the value of `seccomp` is a client's own JSON. */
export function isProfile(seccomp: string): bool {
  return seccomp != "default" && seccomp != "unconfined";
}

export function securityOf(hostConfig: Json): SecurityOptions {
  return readOptions(hostConfig.boolOf("Privileged"), hostConfig.stringsOf("SecurityOpt"));
}

export function readOptions(isPrivileged: bool, texts: string[]): SecurityOptions {
  const options = new SecurityOptions();
  if (isPrivileged) options.seccomp = "unconfined";
  for (let i = 0; i < texts.length; i++) readOption(options, texts[i]);
  return options;
}

function readOption(options: SecurityOptions, text: string): void {
  if (text == "no-new-privileges") {
    options.noNewPrivileges = true;
    return;
  }
  const equals = text.indexOf("=");
  const at = equals >= 0 ? equals : text.indexOf(":");
  if (at < 0) {
    options.problem = `invalid --security-opt 1: "${text}"`;
    return;
  }
  readPair(options, text.slice(0, at), text.slice(at + 1), text);
}

function readPair(options: SecurityOptions, key: string, value: string, text: string): void {
  if (key == "seccomp") options.seccomp = value == "builtin" ? "default" : value;
  else if (key == "no-new-privileges") readFlag(options, value);
  else if (key == "systempaths" && value == "unconfined") options.unmasked = true;
  else if (key == "label" || key == "apparmor") readLabel(options, key, value);
  else options.problem = `invalid --security-opt 2: "${text}"`;
}

function readFlag(options: SecurityOptions, value: string): void {
  const word = value.toLowerCase();
  if (word == "true" || word == "1" || word == "t") options.noNewPrivileges = true;
  else if (word != "false" && word != "0" && word != "f") {
    options.problem = `invalid --security-opt 2: "no-new-privileges=${value}"`;
  }
}

/** SELinux and AppArmor are not used here, so that switching them off has no effect. */
function readLabel(options: SecurityOptions, key: string, value: string): void {
  if (value != "disable" && value != "unconfined") options.notBuilt = `HostConfig.SecurityOpt ${key}=${value}`;
}
