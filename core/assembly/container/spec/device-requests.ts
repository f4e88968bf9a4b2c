// `HostConfig.DeviceRequests`: devices that a driver selects. This engine has no such drivers, so every request fails,
// as with Docker on a machine without them.

import { Json } from "../../json/json";
import { Members } from "../../json/members";
import { internal } from "../../refusal";
import { Container } from "../container";
import { OTHER_CODE, StartError } from "../start/start-error";

/** Why the container cannot be started; null if it can. */
export function deviceRequestProblem(container: Container): StartError | null {
  const requests = new Members(container.hostConfig).tree("DeviceRequests");
  if (requests === null || requests.items.length == 0) return null;
  const first = requests.items[0];
  const alternatives = first.find("Capabilities");
  const text =
    `could not select device driver "${first.stringOf("Driver")}" ` +
    `with capabilities: ${listed(alternatives === null ? Json.array() : alternatives)}`;
  return new StartError(text, OTHER_CODE, internal(text));
}

/** Formats lists of lists as Go prints them: `[[gpu compute] [utility]]`. */
function listed(value: Json): string {
  if (!value.isArray) return value.isString ? value.text : "[]";
  const items: string[] = [];
  for (let i = 0; i < value.items.length; i++) items.push(listed(value.items[i]));
  return `[${items.join(" ")}]`;
}
