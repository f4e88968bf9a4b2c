// Images as stacks of layers, the base at the bottom. A layer shared by several images is marked.

import { useState } from "preact/hooks";
import type { ImageView, LayerView } from "../../../timeline/index.js";
import { useSession } from "../context.js";
import { shortId } from "../words.js";
import { changeOf } from "./lit.js";

export function Images({ images }: { images: readonly ImageView[] }) {
  const [pointed, setPointed] = useState<string | null>(null);
  return (
    <section class="things" aria-label="Images">
      <h3>Images</h3>
      {images.length === 0 && <p class="muted small">None yet. POST /images/create pulls one.</p>}
      <ul class="images">
        {images.map((image) => (
          <ImageStack key={image.id} image={image} pointed={pointed} point={setPointed} />
        ))}
      </ul>
    </section>
  );
}

interface ImageStackProps {
  image: ImageView;
  /** ChainID of the layer under the pointer. */
  pointed: string | null;
  point: (chain: string | null) => void;
}

function ImageStack({ image, pointed, point }: ImageStackProps) {
  const session = useSession();
  const change = changeOf(session, "image", image.id);
  return (
    <li class="image" data-lit={change !== null}>
      <ol class="layers" reversed>
        {image.layers.toReversed().map((layer) => (
          <li
            key={layer.chain}
            class="layer wire"
            data-shared={layer.sharedBy > 1}
            data-pointed={pointed === layer.chain}
            title={toldOf(layer)}
            onPointerEnter={() => point(layer.chain)}
            onPointerLeave={() => point(null)}
          >
            <span class="unseen">{toldOf(layer)}</span>
            <span aria-hidden="true">{shortId(layer.diffId).slice(0, 8)}</span>
            {layer.sharedBy > 1 && <span aria-hidden="true">×{layer.sharedBy}</span>}
          </li>
        ))}
      </ol>
      <p class="image-name">{image.tags[0] ?? "no tag"}</p>
      <p class="muted small wire">
        {shortId(image.id)}
        {image.tags.length > 1 && ` +${image.tags.length - 1}`}
      </p>
    </li>
  );
}

function toldOf(layer: LayerView): string {
  const shared = layer.sharedBy > 1 ? `, shared by ${layer.sharedBy} images` : "";
  return `Layer ${shortId(layer.diffId)}${shared}`;
}
