/** A pipe for the output of a command. What Node makes for a child is a socket, which `/dev/stdout` cannot be opened on. */
import { execFile } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Pipe {
  /** Ends when nobody holds the other end any more. */
  readonly reader: Socket;
  /** A file descriptor for a child; to be closed here once the child has it. */
  readonly writer: number;
}

/** Opens a pipe that has no name. Rejects where the system has none. */
export async function openPipe(): Promise<Pipe> {
  const folder = await mkdtemp(join(tmpdir(), 'pith-pipe-'));
  try {
    const path = join(folder, 'out');
    await promisify(execFile)('mkfifo', ['-m', '600', path]);
    const end = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const reader = new Socket({ fd: end, readable: true, writable: false });
    return { reader, writer: openSync(path, constants.O_WRONLY) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
