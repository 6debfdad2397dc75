/**
 * A long session as an agent leaves it, the same each time: turns with tool calls of several kinds, files that are read again and
 * again, and every so often a prune or a compaction by the stock plugins.
 */
import { join } from 'node:path';
import {
  COMPACTION,
  CONTEXT,
  createJsonlStore,
  createSessionFiles,
  defaultService,
  FILE_SOURCE,
  openSession,
  SESSION_STORE,
} from '../../core';
import type { FileSource, NewItem, Session } from '../../core';
import { assistantMessage, createTestKernel, parallelCalls, reasoning, userMessage } from '../../core/testing';
import type { Exchange } from '../../core/testing';
import { PRUNE } from '../../plugins/prune/token';
import { tokenizer } from '../support/context';
import { STOCK } from '../support/kernel';

/** At least so many tokens, and so many items, are in its log. */
export const LARGE = { tokens: 400_000, items: 3_000 };

const TURNS = 72;
/** Replies of a turn that call tools. */
const STEPS = 12;
const PRUNE_EVERY = 5;
const COMPACT_EVERY = 17;
/** Tokens of system prompt and tools. */
const FIXED = 3_200;
const FILES = Array.from(
  { length: 40 },
  (_, n) => `src/${['tides', 'charts', 'harbour', 'log'][n % 4] ?? ''}/part-${n}.ts`,
);

/** Writes the session into a folder, and resolves to the path of its file. */
export async function writeLargeSession(dir: string): Promise<string> {
  let seen: FileSource | undefined;
  const files: Pick<FileSource, 'canonical' | 'display' | 'read'> = {
    canonical: (path) => path,
    display: (path) => path,
    read: (path) => seen?.read(path) ?? Promise.resolve({ ok: false, path, reason: 'not-found' }),
  };
  await using host = await createTestKernel({
    plugins: STOCK,
    config: { prune: { protectedTokens: 12_000, minSavings: 8_000 } },
    services: [
      defaultService(SESSION_STORE, () => createJsonlStore({ dir })),
      defaultService(FILE_SOURCE, () => files),
    ],
  });
  const { kernel } = host;
  const { session } = await openSession(kernel, { id: 'large', root: '/srv/harbour' });
  session.record({ t: 'settings', system: 'You keep the tide tables of a harbour.', model: 'claude-sonnet-4' });
  for (let turn = 1; turn <= TURNS; turn++) {
    playTurn(session, turn);
    seen = createSessionFiles(session.items());
    if (turn % COMPACT_EVERY === 0) await kernel.get(COMPACTION).compact(session, { trigger: 'manual' });
    else if (turn % PRUNE_EVERY === 0) kernel.get(PRUNE).prune(session);
  }
  await session.close();
  return join(dir, 'large.jsonl');
}

function playTurn(session: Session, turn: number): void {
  let sent = FIXED + tokenizer.countItems(session.get(CONTEXT).view().items());
  const add = (items: readonly NewItem[]): void => void (sent += tokenizer.countItems(session.append(items)));
  session.record({ t: 'turn', phase: 'start', turn });
  add([userMessage(`Part ${turn}: round the heights to whole centimetres, and keep rule R-${turn * 17}.`)]);
  for (let step = 0; step <= STEPS; step++) {
    const inputTokens = sent;
    add(step < STEPS ? replyOf(turn * STEPS + step) : [assistantMessage(`Part ${turn} rounds now, once, at the end.`)]);
    session.record({ t: 'usage', usage: { inputTokens, outputTokens: 120 } });
  }
  session.record({ t: 'turn', phase: 'end', turn });
}

/** A reply with its calls, and their results. */
function replyOf(n: number): readonly NewItem[] {
  const thought = n % 4 === 1 ? [reasoning(`Heights of part ${n} may be negative.`)] : [];
  return [...thought, assistantMessage(`Step ${n} of the work.`), ...parallelCalls(`call-${n}`, ...exchangesOf(n))];
}

function exchangesOf(n: number): readonly Exchange[] {
  const path = FILES[(n * 7) % FILES.length] ?? '';
  switch (n % 5) {
    case 1:
      return [{ name: 'search_files', arguments: { pattern: `height${n}` }, content: lines(24, `height${n} is at`) }];
    case 2:
      return [readOf((n * 7) % FILES.length), readOf((n * 11) % FILES.length)];
    case 3: {
      const edit = { path, old_string: `height_${n} = 1`, new_string: `height_${n} = round(1)` };
      return [{ name: 'edit_file', arguments: edit, content: `${path}: 1 replacement`, summary: 'replaced' }];
    }
    case 4: {
      const failed = n % 3 === 0 && { isError: true };
      return [{ name: 'bash', arguments: { command: 'npm test' }, content: lines(40, 'ok, part'), ...failed }];
    }
    default:
      return [readOf((n * 7) % FILES.length)];
  }
}

function readOf(file: number): Exchange {
  const path = FILES[file] ?? '';
  const text = lines(30 + (file % 5) * 8, `export const height_${file} = tide(`);
  const numbered = text.split('\n').map((line, at) => `${String(at + 1).padStart(6)}\t${line}`);
  return { name: 'read_file', arguments: { path }, content: numbered.join('\n'), summary: `${path}: read` };
}

function lines(count: number, text: string): string {
  return Array.from({ length: count }, (_, n) => `${text} ${n * 3}); // line ${n}`).join('\n');
}
