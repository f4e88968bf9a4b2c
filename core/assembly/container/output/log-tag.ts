// The option `tag` of a log driver: a text with fields such as `{{.Name}}`, in the syntax of Go's templates. Fields are
// filled in. A template with anything else is refused.

import { TextBuilder } from "../../text/builder";
import { Container } from "../container";

const FIELDS: string[] = ["ID", "FullID", "Name", "ImageID", "ImageFullID", "ImageName", "DaemonName"];

/** Empty if the tag is valid. */
export function tagProblem(tag: string): string {
  for (let at = tag.indexOf("{{"); at >= 0; at = tag.indexOf("{{", at)) {
    const end = tag.indexOf("}}", at);
    if (end < 0) return `invalid value for tag: ${tag}: an action is not closed`;
    const action = tag.substring(at + 2, end);
    if (fieldOf(action).length == 0) {
      return `invalid value for tag: {{${action}}} is not supported: only fields are, one of ${FIELDS.join(", ")}`;
    }
    at = end + 2;
  }
  return "";
}

export function filledTag(tag: string, container: Container): string {
  const text = new TextBuilder();
  let from = 0;
  for (let at = tag.indexOf("{{"); at >= 0; at = tag.indexOf("{{", from)) {
    const end = tag.indexOf("}}", at);
    text.text(tag.substring(from, at)).text(valueOf(fieldOf(tag.substring(at + 2, end)), container));
    from = end + 2;
  }
  return text.text(tag.substring(from)).toString();
}

/** Name of the field in a template action; empty for any other action. */
function fieldOf(action: string): string {
  const text = action.trim();
  if (!text.startsWith(".")) return "";
  const name = text.substring(1);
  return FIELDS.includes(name) ? name : "";
}

function valueOf(field: string, container: Container): string {
  if (field == "ID") return container.shortId;
  if (field == "FullID") return container.id;
  if (field == "Name") return container.name;
  if (field == "ImageID") return container.imageId.replace("sha256:", "").slice(0, 12);
  if (field == "ImageFullID") return container.imageId;
  if (field == "ImageName") return container.image;
  return "docker";
}
