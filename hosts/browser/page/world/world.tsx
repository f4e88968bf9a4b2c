// The world as the engine knows it at the selected moment. Changes of the last step are highlighted.

import { useSession } from "../context.js";
import { count } from "../words.js";
import { Containers } from "./containers.js";
import { Events } from "./events.js";
import { Images } from "./images.js";
import { Networks } from "./networks.js";
import { StateDiagram } from "./state-diagram.js";

export function World() {
  const session = useSession();
  const world = session.world.value;
  const up = world.engine === "up";
  return (
    <div class="world-inner">
      <div class="row world-head">
        <h2>World</h2>
        <p class="small" role="status">
          <span class="dot" data-up={up} /> {up ? "The engine is up" : "The engine is down"}
          {up && <span class="muted">, {count(world.containers.length, "container")}</span>}
        </p>
      </div>
      <StateDiagram rules={session.rules} containers={world.containers} />
      <Containers containers={world.containers} />
      <Images images={world.images} />
      <Events events={world.events} />
      <Networks networks={world.networks} volumes={world.volumes} containers={world.containers} />
    </div>
  );
}
