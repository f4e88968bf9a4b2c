// Filters of GET /images/json (surface §2.5).

import { FilterFlag, Filters, parseFilters } from "../../api/filters";
import { badParameter, Refusal } from "../../refusal";
import { engine } from "../../state";
import { globMatch } from "../../text/glob";
import { BAD_TIME, parseFilterTime } from "../../text/time";
import { Image } from "../image";
import { Reference } from "../reference";
import { imageStore } from "../store";

const KEYS: string[] = ["dangling", "label", "before", "since", "until", "reference"];

export class ImageFilter {
  refusal: Refusal | null = null;
  private readonly filters: Filters;
  private dangling: FilterFlag = FilterFlag.Absent;
  /** Only images created between these times match. */
  private before: i64 = i64.MAX_VALUE;
  private since: i64 = i64.MIN_VALUE;
  private hasSince: bool = false;

  /** `old`: a reference from the parameter that later versions no longer have. */
  constructor(text: string, old: string) {
    this.filters = parseFilters(text, KEYS);
    if (old.length > 0) this.filters.add("reference", old);
    this.refusal = this.read();
  }

  get danglingOnly(): bool {
    return this.dangling == FilterFlag.True;
  }

  /** `dangling=false`: no untagged images. */
  get taggedOnly(): bool {
    return this.dangling == FilterFlag.False || this.filters.has("reference");
  }

  /** Whether the image matches all filters that do not depend on its names. */
  matches(image: Image): bool {
    if (image.created >= this.before) return false;
    if (this.hasSince && image.created <= this.since) return false;
    return this.filters.labels("label", image.labelKeys, image.labelValues);
  }

  /** Whether a name matches, in its short or full form, with or without the tag. */
  matchesReference(reference: Reference): bool {
    const patterns = this.filters.values("reference");
    for (let i = 0; i < patterns.length; i++) {
      const pattern = patterns[i];
      if (globMatch(pattern, reference.familiar) || globMatch(pattern, reference.familiarName)) return true;
      if (globMatch(pattern, reference.canonical) || globMatch(pattern, reference.name)) return true;
    }
    return patterns.length == 0;
  }

  private read(): Refusal | null {
    if (this.filters.error.length > 0) return badParameter(this.filters.error);
    this.dangling = this.filters.flag("dangling");
    if (this.dangling == FilterFlag.Bad) return badParameter(this.filters.flagError("dangling"));
    const until = this.readUntil();
    return until !== null ? until : this.readNeighbours();
  }

  private readUntil(): Refusal | null {
    const values = this.filters.values("until");
    for (let i = 0; i < values.length; i++) {
      const time = parseFilterTime(values[i], engine.now.wall);
      if (time == BAD_TIME) return badParameter(`failed to parse value as time or duration: "${values[i]}"`);
      this.before = min(this.before, time);
    }
    return null;
  }

  /** With several images, all of them count. */
  private readNeighbours(): Refusal | null {
    const before = this.filters.values("before");
    for (let i = 0; i < before.length; i++) {
      const lookup = imageStore.lookUp(before[i]);
      const image = lookup.image;
      if (image === null) return lookup.refusal;
      this.before = min(this.before, image.created);
    }
    const since = this.filters.values("since");
    for (let i = 0; i < since.length; i++) {
      const lookup = imageStore.lookUp(since[i]);
      const image = lookup.image;
      if (image === null) return lookup.refusal;
      this.since = max(this.since, image.created);
      this.hasSince = true;
    }
    return null;
  }
}
