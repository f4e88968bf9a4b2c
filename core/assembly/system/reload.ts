// Applies a configuration that was read again, and emits its event (surface §2.11: `daemon reload`).

import { Settings } from "../../../build/bindings/types";
import { DEFAULT_SHM_SIZE } from "../container/create/defaults";
import { Event } from "../event/event";
import { eventRing } from "../event/ring";
import { LAYERS_AT_ONCE } from "../image/layers/layer-fetches";
import { JsonWriter } from "../json/writer";
import { acting, RELOAD } from "../origin";
import { engine } from "../state";
import { decodeUtf8 } from "../text/utf8";

export function reload(settings: Settings): void {
  acting.alone(RELOAD);
  const options = engine.options;
  options.debug = settings.debug;
  options.insecureRegistries = settings.insecureRegistries;
  options.registryMirrors = settings.registryMirrors;
  options.registryHosts = settings.registryHosts;
  options.labels = settings.labels;
  options.runtimes = settings.runtimes;
  options.defaultRuntime = settings.defaultRuntime;
  eventRing.emit(reloadEvent());
}

/** Docker lists every setting that could have changed. Settings that this engine does not have are left out. */
function reloadEvent(): Event {
  const options = engine.options;
  const machine = options.machine;
  return new Event("daemon", "reload", engine.id, engine.now.wall)
    .with("debug", options.debug ? "true" : "false")
    .with("default-cgroupns-mode", machine.cgroupVersion == "2" ? "private" : "host")
    .with("default-ipc-mode", "private")
    .with("default-runtime", options.defaultRuntime)
    .with("default-shm-size", DEFAULT_SHM_SIZE.toString())
    .with("features", "map[]")
    .with("insecure-registries", listText(options.insecureRegistries))
    .with("labels", listText(options.labels))
    .with("live-restore", "true")
    .with("max-concurrent-downloads", LAYERS_AT_ONCE.toString())
    .with("name", machine.name)
    .with("registry-mirrors", listText(options.registryMirrors))
    .with("runtimes", runtimesText());
}

function listText(values: string[]): string {
  const json = new JsonWriter(true).beginArray();
  for (let i = 0; i < values.length; i++) json.string(values[i]);
  return decodeUtf8(json.endArray().finish());
}

function runtimesText(): string {
  const runtimes = engine.options.runtimes;
  const words: string[] = [];
  for (let i = 0; i < runtimes.length; i++) words.push(`${runtimes[i].name}:${runtimes[i].path}`);
  return words.sort().join(" ");
}
