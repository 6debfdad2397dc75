/** A running kernel with plugins, and sessions on it, as a host opens them. */
import {
  COMPACTION,
  CONTEXT,
  createKernel,
  createSession,
  createSessionFiles,
  defaultService,
  FILE_SOURCE,
} from '../../core';
import type {
  CompactionReport,
  CompactOptions,
  ContextView,
  DefaultService,
  FileSource,
  Kernel,
  KernelOptions,
  NewItem,
  RecordDraft,
  Session,
} from '../../core';
import autoReadBudget from '../../plugins/auto-read-budget';
import compaction from '../../plugins/compaction';
import guard from '../../plugins/guard';
import prune from '../../plugins/prune';
import tracker from '../../plugins/tracker';

export const STOCK = [tracker, prune, compaction, autoReadBudget, guard];

export interface Host extends AsyncDisposable {
  readonly kernel: Kernel;
  /** Opens a session with these records; files are what the session last saw, unless a source was given. */
  open(items: readonly NewItem[], ...drafts: readonly RecordDraft[]): Session;
}

/** Starts the stock plugins, or those given; nothing is logged below errors. */
export async function start(options: Partial<KernelOptions> & { readonly files?: FileSource } = {}): Promise<Host> {
  let seen: FileSource | undefined;
  const files: FileSource = options.files ?? {
    canonical: (path) => seen?.canonical(path) ?? path,
    display: (path) => seen?.display(path) ?? path,
    read: (path) => seen?.read(path) ?? Promise.resolve({ ok: false, path, reason: 'not-found' }),
  };
  const defaults: readonly DefaultService[] = [defaultService(FILE_SOURCE, () => files), ...(options.defaults ?? [])];
  const kernel = await createKernel({
    log: { level: 'error', write: () => undefined },
    plugins: STOCK,
    ...options,
    defaults,
  });
  let opened = 0;
  return {
    kernel,
    open(items, ...drafts) {
      const session = createSession({ id: `s${opened++}`, now: () => 0, services: (one) => kernel.scope(one) });
      session.append(items);
      session.record(...drafts);
      seen = createSessionFiles(session.items());
      return session;
    },
    [Symbol.asyncDispose]: () => kernel.stop(),
  };
}

/** What the next request of a session sends. */
export const view = (session: Session): ContextView => session.get(CONTEXT).view();

/** Compacts a session as a person would ask for it. */
export const compact = (
  { kernel }: Host,
  session: Session,
  options: Partial<CompactOptions> = {},
): Promise<CompactionReport> => kernel.get(COMPACTION).compact(session, { trigger: 'manual', ...options });
