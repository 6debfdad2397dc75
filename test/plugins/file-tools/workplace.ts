/** An agent with file tools in a folder: kernel, session and a way to call. */
import { callTool, createDiskFiles, type FileSource, type Json, type Session, toolsOf } from '../../../core';
import type { DefaultService, Plugin } from '../../../core';
import fileTools from '../../../plugins/file-tools';
import tracker from '../../../plugins/tracker';
import { TRACKER, type Tracker } from '../../../plugins/tracker/token';
import { folderWith } from '../../files/folder';
import { start, type Host } from '../../support/kernel';

export interface Answer {
  /** What the model reads. */
  readonly text: string;
  readonly summary: string;
  readonly isError: boolean;
}

export interface Workplace {
  readonly root: string;
  readonly session: Session;
  readonly tracker: Tracker;
  readonly host: Host;
  call(name: string, args: Json, signal?: AbortSignal): Promise<Answer>;
  /** A second agent in the same kernel. */
  colleague(): Workplace;
}

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host[Symbol.asyncDispose]();
});

/** An agent in a fresh folder with these files, or in the scope of a file source. */
export async function workplace(
  contents: Readonly<Record<string, string | Uint8Array>> = {},
  options: {
    readonly plugins?: readonly Plugin[];
    readonly root?: string;
    readonly files?: FileSource;
    readonly services?: readonly DefaultService[];
  } = {},
): Promise<Workplace> {
  const root = options.root ?? folderWith(contents);
  const files = options.files ?? createDiskFiles({ root });
  const host = await start({
    files,
    plugins: options.plugins ?? [tracker, fileTools],
    services: options.services ?? [],
  });
  hosts.push(host);
  return at(host, root);
}

function at(host: Host, root: string): Workplace {
  const session = host.open([]);
  let calls = 0;
  return {
    root,
    session,
    host,
    get tracker() {
      return session.get(TRACKER);
    },
    async call(name, args, signal = new AbortController().signal) {
      const id = `call-${String(calls++)}`;
      const { result } = await callTool(host.kernel, {
        session,
        role: 'main',
        call: { kind: 'tool_call', id, callId: id, name, arguments: args },
        signal,
        tools: toolsOf(host.kernel),
      });
      const { summary, content = summary, isError = false } = result;
      return { summary, text: typeof content === 'string' ? content : JSON.stringify(content), isError };
    },
    colleague: () => at(host, root),
  };
}
