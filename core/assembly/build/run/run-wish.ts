// The container of a RUN: the config of the image so far, with the step's command, and the limits of the build.

import { Image } from "../../image/image";
import { Json } from "../../json/json";
import { RunStep } from "../evaluation/step";
import { BuildOptions } from "../options";
import { RunWish } from "./run-work";

export function runWish(
  image: Image | null,
  config: Json,
  step: RunStep,
  options: BuildOptions,
  version: i32,
): RunWish {
  const body = config.copy();
  body.set("Image", Json.string(image === null ? "" : image.id));
  body.set("Env", Json.strings(step.environment));
  body.set("Cmd", Json.strings(step.argv));
  // A list with one empty text stands for no entry point at all.
  body.set("Entrypoint", Json.strings([""]));
  const none = Json.object();
  none.set("Test", Json.strings(["NONE"]));
  body.set("Healthcheck", none);
  const host = options.hostConfig.copy();
  if (step.network != "default") host.set("NetworkMode", Json.string(step.network));
  body.set("HostConfig", host);
  const wish = new RunWish(body, step.argv.join(" "), version);
  wish.remove = options.remove;
  wish.forceRemove = options.forceRemove;
  return wish;
}
