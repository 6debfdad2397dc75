/** The compactions that a session went through, as far as its log tells: Pith's own in full, foreign ones by their checkpoint. */
import type { Json } from '../session/items';
import type { Checkpoint, Position, SessionRecord } from '../session/records';
import type { Session } from '../session/session';
import type { CompactionPlan, Mark, Reference } from './compaction';
import { callOf, fieldsOf, listOf, markOf, planOf, positive, referenceOf, textOf } from './recorded-compaction';

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
  /** What was read into the new context, and why. */
  readonly marks: readonly Mark[] | null;
  /** What was only named there. */
  readonly references: readonly Reference[] | null;
}

/** A compaction with what its log tells beside it. */
export interface LoggedCompaction extends PastCompaction {
  /** Position of its first record. */
  readonly began: Position;
  /** Where it was applied. */
  readonly checkpoint: (Checkpoint & { readonly seq: Position }) | null;
  readonly plan: CompactionPlan | null;
  /** Why it ended as it did. */
  readonly reason: string | null;
  /** Milliseconds in all. */
  readonly durationMs: number | null;
}

/** Finds the compactions of a log as it is walked through. */
export class CompactionWalk {
  readonly #found = new Map<string, LoggedCompaction>();
  /** Positions of the checkpoints in force, and of those that were taken back. */
  readonly #inForce: Position[] = [];
  readonly #undone = new Set<Position>();

  /** The compactions so far, in the order in which they began. */
  list(): readonly LoggedCompaction[] {
    return [...this.#found.values()];
  }

  /** The 1-based number of a compaction; 0 where there is none of that id. */
  numberOf(id: string): number {
    return [...this.#found.keys()].indexOf(id) + 1;
  }

  /** Whether the checkpoint at a position was taken back. */
  isUndone(checkpoint: Position): boolean {
    return this.#undone.has(checkpoint);
  }

  take(record: SessionRecord): void {
    if (record.t === 'undo') return this.#undo(record.checkpoint);
    if (record.t !== 'compaction' && record.t !== 'checkpoint') return;
    const { compaction: id, seq } = record;
    const known = this.#found.get(id) ?? { ...UNKNOWN, id, began: seq };
    if (record.t === 'checkpoint') this.#inForce.push(seq);
    this.#found.set(id, record.t === 'checkpoint' ? applied(known, record) : told(known, record));
  }

  /** Later checkpoints go with the one that is undone. */
  #undo(checkpoint: Position): void {
    const at = this.#inForce.indexOf(checkpoint);
    if (at !== -1) for (const seq of this.#inForce.splice(at)) this.#undone.add(seq);
  }
}

/** All compactions of a session in the order in which they began. */
export function pastCompactions(session: Pick<Session, 'records'>): readonly PastCompaction[] {
  const walk = new CompactionWalk();
  for (const record of session.records()) walk.take(record);
  return walk.list().map(({ began: _, checkpoint: _1, plan: _2, reason: _3, durationMs: _4, ...past }) => past);
}

const UNKNOWN: Omit<LoggedCompaction, 'id' | 'began'> = {
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
  marks: null,
  references: null,
  checkpoint: null,
  plan: null,
  reason: null,
  durationMs: null,
};

function applied(known: LoggedCompaction, record: Checkpoint & { readonly seq: Position }): LoggedCompaction {
  const { blocks, cut, before, after } = record;
  const summary = blocks.find((block) => block.kind === 'summary');
  return {
    ...known,
    outcome: known.outcome ?? 'done',
    cutItem: cut,
    beforeTokens: positive(before) ?? known.beforeTokens,
    afterTokens: positive(after) ?? known.afterTokens,
    summary: summary?.text ?? known.summary,
    checkpoint: record,
  };
}

/** Takes over what a record of the compaction says; records of other versions may say anything. */
function told(known: LoggedCompaction, { phase, data }: Extract<SessionRecord, { t: 'compaction' }>): LoggedCompaction {
  const calls = listOf(data['calls'], callOf) ?? known.calls;
  const why = textOf(data['reason']);
  const reason = phase === 'failed' ? why : null;
  const refused = [
    ...(calls ?? []).flatMap(({ tool, result, isError }) => (isError ? [`${tool}: ${result}`] : [])),
    ...(reason === null ? [] : [reason]),
  ];
  return {
    ...known,
    outcome: textOf(data['outcome']) ?? (phase === 'start' ? known.outcome : phase),
    trigger: textOf(data['trigger']) ?? known.trigger,
    worker: textOf(data['worker']) ?? known.worker,
    beforeTokens: positive(data['before']) ?? known.beforeTokens,
    afterTokens: positive(data['after']) ?? known.afterTokens,
    input: textOf(data['input']) ?? known.input,
    calls,
    refusals: calls === null && reason === null ? known.refusals : refused,
    summary: known.summary ?? writtenSummary(calls),
    marks: listOf(data['marks'], markOf) ?? known.marks,
    references: listOf(data['references'], referenceOf) ?? known.references,
    plan: planOf(data['plan']) ?? known.plan,
    reason: why ?? known.reason,
    durationMs: positive(fieldsOf(data['durationsMs'])?.['total']) ?? known.durationMs,
  };
}

/** The summary that a worker wrote last, where none was applied. */
function writtenSummary(calls: readonly PastWorkCall[] | null): string | null {
  const args = calls?.findLast(({ tool }) => tool === 'write_summary')?.arguments;
  return textOf(fieldsOf(args)?.['text']);
}
