/** A running kernel with plugins, and sessions on it, as a host opens them. */
import { COMPACTION, CONTEXT, createSession, createSessionFiles, defaultService, FILE_SOURCE } from '../../core';
import type {
  CompactionReport,
  CompactOptions,
  ContextView,
  FileSource,
  NewItem,
  RecordDraft,
  Session,
} from '../../core';
import { createTestKernel } from '../../core/testing';
import type { TestKernel, TestKernelOptions } from '../../core/testing';
import autoReadBudget from '../../plugins/auto-read-budget';
import compaction from '../../plugins/compaction';
import guard from '../../plugins/guard';
import prune from '../../plugins/prune';
import tracker from '../../plugins/tracker';

export const STOCK = [tracker, prune, compaction, autoReadBudget, guard];

/** A test kernel whose sessions open at once, and live outside of its store. */
export interface Host extends TestKernel {
  /** Opens a session with these records; files are what the session last saw, unless a source was given. */
  open(items: readonly NewItem[], ...drafts: readonly RecordDraft[]): Session;
}

/** Starts the stock plugins, or those given. */
export async function start(options: TestKernelOptions & { readonly files?: FileSource } = {}): Promise<Host> {
  let seen: FileSource | undefined;
  const files: FileSource = options.files ?? {
    canonical: (path) => seen?.canonical(path) ?? path,
    display: (path) => seen?.display(path) ?? path,
    read: (path) => seen?.read(path) ?? Promise.resolve({ ok: false, path, reason: 'not-found' }),
  };
  const services = [defaultService(FILE_SOURCE, () => files), ...(options.services ?? [])];
  const test = await createTestKernel({ plugins: STOCK, ...options, services });
  let opened = 0;
  return {
    ...test,
    open(items, ...drafts) {
      const id = `s${opened++}`;
      const session = createSession({ id, now: () => 0, services: (one) => test.kernel.scope(one) });
      session.append(items);
      session.record(...drafts);
      seen = createSessionFiles(session.items());
      return session;
    },
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
