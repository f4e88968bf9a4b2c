// Several outputs of one build, one after the other. The first that fails ends the others.

import { ExportClient, Exporting } from "./exporting";

export class SeveralExports implements Exporting, ExportClient {
  /** What the client is told of all of them: of the same fact, what the last one says. */
  private readonly facts: Map<string, string> = new Map<string, string>();
  private client: ExportClient | null = null;
  /** How many are done. */
  private done: i32 = 0;

  constructor(private readonly all: Exporting[]) {}

  begin(client: ExportClient): void {
    this.client = client;
    this.next();
  }

  exported(facts: Map<string, string>): void {
    const names = facts.keys();
    for (let i = 0; i < names.length; i++) this.facts.set(names[i], facts.get(names[i]));
    this.done += 1;
    this.next();
  }

  exportFailed(why: string): void {
    const client = this.client;
    this.client = null;
    if (client !== null) client.exportFailed(why);
  }

  cancel(): void {
    const isUnderWay = this.client !== null;
    this.client = null;
    if (isUnderWay) this.all[this.done].cancel();
  }

  private next(): void {
    const client = this.client;
    if (client === null) return;
    if (this.done < this.all.length) return this.all[this.done].begin(this);
    this.client = null;
    client.exported(this.facts);
  }
}
