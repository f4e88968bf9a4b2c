// Writes a request as a complete program in other languages.

import type { WrittenRequest } from "../session/request.js";
import { curl } from "./generate-curl.js";
import { fetchProgram } from "./generate-fetch.js";
import { go } from "./generate-go.js";
import { python } from "./generate-python.js";
import { typescript } from "./generate-typescript.js";
import type { Language } from "./notation.js";

export function generate(request: WrittenRequest, language: Language): string {
  switch (language) {
    case "curl":
      return curl(request, "new");
    case "curl-old":
      return curl(request, "old");
    case "go":
      return go(request);
    case "python":
      return python(request);
    case "typescript":
      return typescript(request);
    case "fetch":
      return fetchProgram(request);
  }
}
