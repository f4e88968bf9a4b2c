// A program that uses Docker: runs a command in a new container, and keeps only the result.

import type Docker from "dockerode";

export interface JobResult {
  code: number;
  output: string;
}

/** Pulls the image if it is missing. Rejects if no registry has it. */
export async function runJob(docker: Docker, image: string, command: string[]): Promise<JobResult> {
  await pullIfMissing(docker, image);
  const container = await docker.createContainer({ Image: image, Cmd: command, Tty: true });
  try {
    const stream = await container.attach({ stream: true, stdout: true, stderr: true, hijack: true });
    await container.start();
    const output = await textOf(stream);
    const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
    return { code, output };
  } finally {
    await container.remove({ force: true });
  }
}

async function pullIfMissing(docker: Docker, image: string): Promise<void> {
  const { length } = await docker.listImages({ filters: { reference: [image] } });
  if (length > 0) return;
  const progress = await docker.pull(image);
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()));
  });
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
