// `.dockerignore`: clients leave ignored files out of the context, so the engine only looks whether it ignores the Dockerfile
// and itself.

import type { Recipe } from "./recipe.js";

/** Each is the text of one file. */
const IGNORE_FILES: readonly string[] = [
  "",
  "Dockerfile",
  ".dockerignore",
  "*",
  "**",
  "*\n!Dockerfile",
  "*\n!Dockerfile\nDock*",
  "Dockerfile*\n.docker*\na",
  "**/Dockerfile\n*/.dockerignore",
  "/Dockerfile\n./.dockerignore/",
  "d/../Dockerfile\n#.dockerignore",
  "?ockerfile\n[.]d*e",
  "[^a-z]ockerfile\n\\.dockerignore",
  "  Dockerfile  \n!Dockerfile/x",
  "\r\nDockerfile\r\n.dockerignore\r\n",
  "\u00ef\u00bb\u00bfDockerfile\n",
  "*/file\nD**e\n**/.dockerignore",
  "Dockerfile\n!**",
  "*\n!d/.dockerignore\n!.d[n-p]*",
  // Malformed: nothing is ignored.
  "*\n!",
  "*\n[",
  "D[a\n*",
  "*\n\\",
];

export const IGNORED: readonly Recipe[] = IGNORE_FILES.map((body) => ({
  file: "FROM scratch\nCOPY . /\n",
  files: [
    { name: ".dockerignore", body, mtime: 1000 },
    { name: "a", body: "a", mtime: 1000 },
    { name: "d/.dockerignore", body: "d", mtime: 1000 },
  ],
}));

const HIDDEN = ["COPY Dockerfile /x", "COPY D* /x/", "COPY Dockerfile a /x/"];

export const IGNORED_SOURCES: readonly Recipe[] = HIDDEN.map((copy) => ({
  file: `FROM scratch\n${copy}\n`,
  files: [
    { name: ".dockerignore", body: "Dockerfile", mtime: 1000 },
    { name: "a", body: "a", mtime: 1000 },
  ],
}));
