// Changes that learners must make by themselves: some lesson cells are filled in except for one part.

import type { Lesson, LessonStep } from "../../hosts/browser/lessons/lesson.js";
import type { WrittenRequest } from "../../hosts/browser/session/request.js";

/** How the target of a filled-in cell changes, by the lesson's id and the step's index, from 0. */
export const FINDINGS: Readonly<Record<string, (target: string) => string>> = {
  "list-stop 4": (target) => `${target}?all=1`,
  "logs 3": (target) => `${target}&tail=4&timestamps=1`,
  "pull 2": (target) => target.replace("tag=latest", "tag=nothing"),
  "versions 3": (target) => target.replace("1.43", "1.44"),
};

/** A step's filled-in request, with the missing part added. */
export function found(lesson: Lesson, step: LessonStep, request: WrittenRequest): WrittenRequest {
  const find = FINDINGS[`${lesson.id} ${lesson.steps.indexOf(step)}`];
  return find === undefined ? request : { ...request, target: find(request.target) };
}
