// `--format`: fills a template with the fields of an answer.

import { Wrong } from "./wrong.js";

/** Supports `{{.State.Status}}` and `{{json .Config}}`; templates that do more are rejected. */
export function formatted(template: string, answer: unknown): string {
  return template.replace(/\{\{(.*?)\}\}/g, (mark, inner: string) => {
    const [, json, path] = /^\s*(json\s+)?\.([\w.]*)\s*$/.exec(inner) ?? [];
    if (path === undefined)
      throw new Wrong(`${mark} is not supported here; use fields such as {{.State.Status}}`, mark);
    const names = path === "" ? [] : path.split(".");
    const value = names.reduce((one, name) => (one as Record<string, unknown> | null | undefined)?.[name], answer);
    if (json === undefined && typeof value !== "object") return String(value ?? "<no value>");
    return JSON.stringify(value ?? null);
  });
}

/** What an inspect command prints. */
export function printedAs(template: string | null, answers: readonly unknown[]): string {
  const found = answers.filter((answer) => answer !== null && typeof answer === "object" && !("message" in answer));
  if (template === null) return JSON.stringify(found, null, 4);
  return found.map((answer) => formatted(template, answer)).join("\n");
}
