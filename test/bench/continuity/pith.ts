/** The context that Pith itself makes: a real compaction of the session as it is up to the cut. */
import { COMPACTION, CONTEXT, createAgent } from '../../../core';
import { agentFromManifest } from '../../../core/agent/manifest-agent';
import { createImportedSession } from '../../../core/formats';
import { loadManifest } from '../../../core/manifest';
import { stockPlugins } from '../../../plugins';
import type { ContextBlock } from './context';
import type { Policy } from './policy';

/** How a number of tokens in all is split, as shares; they add up to at most 1. */
export interface Split {
  /** The newest items, kept word for word. */
  readonly tail: number;
  /** Files that are read again. */
  readonly read: number;
  /** The summary. */
  readonly summary: number;
}

export interface PithOptions {
  /** Absent: the manifest's defaults, whatever number of tokens is given. */
  readonly split?: Split;
  /** A manifest whose plugins, worker and model serve; absent: the offline worker. */
  readonly manifest?: string;
  /** Further keys by `section.key`. */
  readonly keys?: Readonly<Record<string, unknown>>;
}

const USED = ['tracker', 'compaction', 'auto-read-budget', 'guard'] as const;

export function pith({ split, manifest, keys }: PithOptions): Policy {
  return async ({ session: { format, root, records }, cut, files, tokens }) => {
    const loaded = await loadManifest({
      ...(manifest === undefined ? { cwd: '/', env: {} } : { path: manifest }),
      stock: stockPlugins,
      defaultUse: USED,
      flags: {
        ...(manifest === undefined && { 'compaction.worker': 'offline' }),
        ...(split && budgetsOf(split, tokens)),
        ...keys,
        'compaction.mode': 'off',
        'log.level': 'error',
      },
    });
    const agent = await createAgent({ ...(await agentFromManifest(loaded)), files });
    const { kernel } = agent;
    const imported = { format, records: records.slice(0, cut.records), sidechains: 0, malformed: 0, warnings: [] };
    const session = createImportedSession(
      { ...imported, ...(root !== undefined && { root }) },
      { services: (of) => kernel.scope(of) },
    );
    try {
      const report = await kernel.get(COMPACTION).compact(session, { trigger: 'manual' });
      const view = session.get(CONTEXT).view();
      const blocks = view.system.flatMap(({ block }): readonly ContextBlock[] => {
        if (block === undefined) return [];
        const { text, kind, path, fromLine = 1, toLine = Infinity } = block;
        if (kind !== 'auto-read' || path === undefined) return [{ text }];
        return [{ text, path: files.canonical(path), lines: [{ fromLine, toLine }] }];
      });
      const references = report.references.map(({ path, note = '' }) => ({
        path: files.canonical(path),
        text: `- ${path} (${note})`,
      }));
      return { blocks, tail: [...view.items()], references, outcome: report.outcome };
    } finally {
      await session.close();
      await agent.close();
    }
  };
}

function budgetsOf({ tail, read, summary }: Split, tokens: number): Readonly<Record<string, number>> {
  return {
    'compaction.retained_tokens': Math.floor(tokens * tail),
    'compaction.auto_read_budget': Math.floor(tokens * read),
    'compaction.summary_max_tokens': Math.max(200, Math.floor(tokens * summary)),
  };
}
