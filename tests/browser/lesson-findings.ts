// Changes that learners must make by themselves: some lesson cells are filled in except for one part.

import type { Lesson, LessonStep } from "../../hosts/browser/lessons/lesson.js";
import type { TextFile, WrittenRequest } from "../../hosts/browser/session/request.js";

/** How the target of a filled-in cell changes, by the lesson's id and the step's index, from 0. */
export const FINDINGS: Readonly<Record<string, (target: string) => string>> = {
  "list-stop 4": (target) => `${target}?all=1`,
  "logs 3": (target) => `${target}&tail=4&timestamps=1`,
  "pull 2": (target) => target.replace("tag=latest", "tag=nothing"),
  "versions 3": (target) => target.replace("1.43", "1.44"),
};

/** Files of a filled-in cell that get another text, in the same way. */
export const EDITS: Readonly<Record<string, TextFile>> = {
  "build 4": { name: "greeting", text: "Good evening\n" },
};

/** A step's filled-in request, with the missing part added. */
export function found(lesson: Lesson, step: LessonStep, request: WrittenRequest): WrittenRequest {
  const place = `${lesson.id} ${lesson.steps.indexOf(step)}`;
  const [find, edit] = [FINDINGS[place], EDITS[place]];
  const files = request.files?.map((file) => (file.name === edit?.name ? edit : file));
  return { ...request, target: find?.(request.target) ?? request.target, ...(files !== undefined && { files }) };
}
