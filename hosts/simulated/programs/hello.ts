// hello: the text of the simulated hello-world image.

import { command } from "./command.js";

const TEXT = `
Hello! You have just run a container.

What happened between your command and this line:
 1. The client sent a request to the engine.
 2. The engine looked for the image "hello-world", and pulled it if it was not there.
 3. It made a container from the image, with files and a network of its own.
 4. The container's program wrote this text, and the engine passed it on to you.

Something larger to try next:
 $ docker run -it busybox sh
`;

export const hello = command(async (process) => {
  await process.stdout.write(`${TEXT}\n`);
  return 0;
});
