/** A session whose compaction is written by a worker with a scripted model, on a real kernel with the stock plugins. */
import { CLOCK, COMPACTION, createDiskFiles, defaultService, FILE_SOURCE, LIMITS, LLM } from '../../../core';
import type { CompactionReport, CompactOptions, DefaultService, NewItem, Plugin, Session } from '../../../core';
import { createScriptedModel, createTestKernel, createVirtualClock } from '../../../core/testing';
import type {
  Script,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedReply,
  TestKernel,
  VirtualClock,
} from '../../../core/testing';
import { folderWith } from '../../files/folder';
import { assistant, call, prose, result, user } from '../../support/context';
import { STOCK } from '../../support/kernel';
import { summaryOf } from '../../support/worker';

export interface Workplace extends AsyncDisposable {
  readonly model: ScriptedModel;
  readonly session: Session;
  readonly test: TestKernel;
  readonly clock: VirtualClock;
  readonly root: string;
  compact(options?: Partial<CompactOptions>): Promise<CompactionReport>;
}

export interface WorkplaceSetup extends Omit<ScriptedModelOptions, 'script'> {
  readonly items?: readonly NewItem[];
  readonly files?: Readonly<Record<string, string>>;
  /** Keys of `[compaction]`; nobody falls back by default. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly plugins?: readonly Plugin[];
  readonly services?: readonly DefaultService[];
}

export const FILES = { 'src/a.ts': 'export const a = 1;\n', 'src/b.ts': 'export const b = 2;\n' };

/** Work on two files, of some 30,000 tokens. */
export const HISTORY: readonly NewItem[] = [
  user('Port the parser, and use tabs.'),
  ...Array.from({ length: 30 }, (_, n) => {
    const path = n % 2 === 0 ? 'src/a.ts' : 'src/b.ts';
    return [call(`c${n}`, 'read_file', { path }), result(`c${n}`, prose(1000), `${path}: 1 line`)];
  }).flat(),
  assistant('The parser is half ported.'),
];

/** Opens it; the model is the agent's own. */
export async function workplace(script: Script, setup: WorkplaceSetup = {}): Promise<Workplace> {
  const { items = HISTORY, files = FILES, config = {}, plugins = STOCK, services = [], ...options } = setup;
  const root = folderWith(files);
  const clock = createVirtualClock();
  const model = createScriptedModel({ script, clock, ...options });
  const test = await createTestKernel({
    plugins,
    config: { compaction: { retainedTokens: 4000, fallback: 'none', ...config } },
    services: [
      defaultService(CLOCK, () => clock),
      defaultService(LLM, () => model),
      defaultService(LIMITS, () => () => model.limits()),
      defaultService(FILE_SOURCE, () => createDiskFiles({ root })),
      ...services,
    ],
  });
  const session = await test.openSession(items);
  return {
    model,
    session,
    test,
    clock,
    root,
    compact: (asked = {}) => test.kernel.get(COMPACTION).compact(session, { trigger: 'manual', ...asked }),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

export const read = (path = 'src/a.ts'): { name: string; arguments: { path: string } } => ({
  name: 'read_file',
  arguments: { path },
});
export const mark = (path = 'src/a.ts'): { name: string; arguments: { path: string } } => ({
  name: 'mark_read_required',
  arguments: { path },
});
export const write = (text = summaryOf('Ported.')): { name: string; arguments: { text: string } } => ({
  name: 'write_summary',
  arguments: { text },
});
/** A reply that calls these tools. */
export const calls = (...made: NonNullable<ScriptedReply['calls']>): ScriptedReply => ({ calls: made });
