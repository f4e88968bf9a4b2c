// Adds members to an object that may have very many, using a map from names to members.

import { Json } from "./json";

export class MembersByName {
  private readonly places: Map<string, i32> = new Map<string, i32>();

  /** `object`: an Object, changed in place. */
  constructor(readonly object: Json) {
    for (let i = 0; i < object.keys.length; i++) this.places.set(object.keys[i], i);
  }

  /** Like `Json.set`. */
  set(name: string, value: Json): void {
    if (this.places.has(name)) {
      this.object.items[this.places.get(name)] = value;
      return;
    }
    this.places.set(name, this.object.keys.length);
    this.object.keys.push(name);
    this.object.items.push(value);
  }
}
