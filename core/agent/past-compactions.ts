/** The compactions that a session went through, as far as its log tells: Pith's own in full, foreign ones by their checkpoint. */
import type { Json } from '../session/items';
import type { Checkpoint, SessionRecord } from '../session/records';
import type { Session } from '../session/session';

/** A call of the worker to its desk. */
export interface PastWorkCall {
  readonly tool: string;
  readonly arguments: Json;
  readonly result: string;
  readonly isError: boolean;
}

/** One compaction; null is what the log does not hold. Tokens are whole numbers. */
export interface PastCompaction {
  readonly id: string;
  /** `done` for a checkpoint that another agent made. */
  readonly outcome: string | null;
  readonly trigger: string | null;
  readonly worker: string | null;
  /** 0-based number of the first item that was kept. */
  readonly cutItem: number | null;
  readonly beforeTokens: number | null;
  readonly afterTokens: number | null;
  /** What the worker was given. */
  readonly input: string | null;
  readonly calls: readonly PastWorkCall[] | null;
  /** What was refused: calls that the desk answered with an error, and why the whole was not applied. */
  readonly refusals: readonly string[] | null;
  readonly summary: string | null;
}

/** All compactions of a session in the order in which they began. */
export function pastCompactions(session: Pick<Session, 'records'>): readonly PastCompaction[] {
  const compactions = new Map<string, PastCompaction>();
  for (const record of session.records()) {
    if (record.t !== 'compaction' && record.t !== 'checkpoint') continue;
    const known = compactions.get(record.compaction) ?? { ...UNKNOWN, id: record.compaction };
    compactions.set(record.compaction, record.t === 'checkpoint' ? applied(known, record) : told(known, record));
  }
  return [...compactions.values()];
}

const UNKNOWN: Omit<PastCompaction, 'id'> = {
  outcome: null,
  trigger: null,
  worker: null,
  cutItem: null,
  beforeTokens: null,
  afterTokens: null,
  input: null,
  calls: null,
  refusals: null,
  summary: null,
};

function applied(known: PastCompaction, { blocks, cut, before, after }: Checkpoint): PastCompaction {
  const summary = blocks.find((block) => block.kind === 'summary');
  return {
    ...known,
    outcome: known.outcome ?? 'done',
    cutItem: cut,
    beforeTokens: tokensOf(before) ?? known.beforeTokens,
    afterTokens: tokensOf(after) ?? known.afterTokens,
    summary: summary?.text ?? known.summary,
  };
}

/** Takes over what a record of the compaction says; records of other versions may say anything. */
function told(known: PastCompaction, { phase, data }: Extract<SessionRecord, { t: 'compaction' }>): PastCompaction {
  const calls = Array.isArray(data['calls']) ? (data['calls'] as readonly Json[]).flatMap(callOf) : known.calls;
  const reason = phase === 'failed' ? textOf(data['reason']) : null;
  const refused = [
    ...(calls ?? []).flatMap(({ tool, result, isError }) => (isError ? [`${tool}: ${result}`] : [])),
    ...(reason === null ? [] : [reason]),
  ];
  return {
    ...known,
    outcome: textOf(data['outcome']) ?? (phase === 'start' ? known.outcome : phase),
    trigger: textOf(data['trigger']) ?? known.trigger,
    worker: textOf(data['worker']) ?? known.worker,
    beforeTokens: tokensOf(data['before']) ?? known.beforeTokens,
    afterTokens: tokensOf(data['after']) ?? known.afterTokens,
    input: textOf(data['input']) ?? known.input,
    calls,
    refusals: calls === null && reason === null ? known.refusals : refused,
    summary: known.summary ?? writtenSummary(calls),
  };
}

function callOf(value: Json): readonly PastWorkCall[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { tool, arguments: args, result, isError } = value as { readonly [key: string]: Json };
  if (typeof tool !== 'string' || typeof result !== 'string') return [];
  return [{ tool, arguments: args ?? null, result, isError: isError === true }];
}

/** The summary that a worker wrote last, where none was applied. */
function writtenSummary(calls: readonly PastWorkCall[] | null): string | null {
  const args = calls?.findLast(({ tool }) => tool === 'write_summary')?.arguments;
  return textOf((args as { readonly text?: unknown } | null | undefined)?.text);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Foreign checkpoints say 0 where they do not tell. */
function tokensOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : null;
}
