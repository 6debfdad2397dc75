/** Recall on a real kernel, beside the plugins that it works with. */
import {
  callTool,
  createKernel,
  createSession,
  type Json,
  type Kernel,
  type NewItem,
  type Plugin,
  type RecordDraft,
  type Session,
} from '../../../core';
import { toolsOf } from '../../../core/agent/tool-registry';
import recall from '../../../plugins/recall';

export interface Recalling {
  readonly kernel: Kernel;
  readonly session: Session;
  search(query: string, args?: Readonly<Record<string, Json>>): Promise<Answer>;
  read(from: string, args?: Readonly<Record<string, Json>>): Promise<Answer>;
}

export interface Answer {
  readonly text: string;
  readonly summary: string;
  readonly isError: boolean;
}

const kernels: Kernel[] = [];
afterEach(async () => {
  for (const kernel of kernels.splice(0)) await kernel.stop();
});

export async function recalling(
  items: readonly NewItem[],
  records: readonly RecordDraft[] = [],
  plugins: readonly Plugin[] = [],
  config: Readonly<Record<string, unknown>> = {},
): Promise<Recalling> {
  const kernel = await createKernel({
    plugins: [...plugins, recall],
    config: { recall: config },
    log: { level: 'error', write: () => undefined },
  });
  kernels.push(kernel);
  const session = createSession({ id: 's', now: () => 0, services: (one) => kernel.scope(one) });
  session.append(items);
  session.record(...records);
  let calls = 0;
  const ask = async (name: string, args: Readonly<Record<string, Json>>): Promise<Answer> => {
    const callId = `recall-${calls++}`;
    const { result } = await callTool(kernel, {
      session,
      role: 'main',
      call: { id: callId, kind: 'tool_call', callId, name, arguments: args },
      tools: toolsOf(kernel),
      signal: new AbortController().signal,
    });
    const { content = result.summary, summary, isError = false } = result;
    return { text: typeof content === 'string' ? content : '', summary, isError };
  };
  return {
    kernel,
    session,
    search: (query, args = {}) => ask('recall_search', { query, ...args }),
    read: (from, args = {}) => ask('recall_read', { from, ...args }),
  };
}

/** A checkpoint that covers all before `cut`. */
export const checkpoint = (cut: number): RecordDraft => ({
  t: 'checkpoint',
  compaction: 'c',
  blocks: [{ kind: 'summary', text: 'Earlier: see [i0].' }],
  cut,
  edits: [],
  before: 0,
  after: 0,
});
