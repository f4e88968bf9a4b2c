// The images that the stages of one build have pulled, or are pulling. Each is pulled once, so all stages have the same one.

import { CredentialsSource } from "../../credentials";
import { BasePull } from "./base-pull";
import { PullWish } from "./pull-wish";

export class BasePulls {
  private readonly all: Map<string, BasePull> = new Map<string, BasePull>();

  constructor(private readonly credentials: CredentialsSource) {}

  find(wish: PullWish): BasePull {
    const key = `${wish.always ? "always " : ""}${wish.key}`;
    if (!this.all.has(key)) this.all.set(key, new BasePull(wish, this.credentials));
    return this.all.get(key);
  }
}
