/** From what lies at a desk to a checkpoint in force (S9.9, S9.10): built of the contents of now, recorded whole or not at all. */
import { CONTEXT, inputLimit, messageOf, nextSlice, pathsOfCall } from '../../core/index';
import type { Block, Checkpoint, ContextView, Reference, Session } from '../../core/index';
import { readMarks } from './auto-read';
import { stateBlock } from './blocks';
import { buildCheckpoint } from './checkpoint';
import type { CheckpointResult } from './checkpoint';
import type { OpenDesk } from './desk';
import { Ending } from './ending';
import type { CompactorParts } from './parts';
import { laterEdits } from './plan';
import type { Plan } from './plan';
import type { Advice } from './pre-compact';
import type { RunRecord } from './run-record';
import { openState, STATE_MAX_TOKENS, stateToolsOf } from './state-tools';

/** A plan and what is needed to judge and apply what comes of it. */
export interface Draft {
  readonly session: Session;
  readonly plan: Plan;
  readonly told: RunRecord;
  readonly pins: Advice['pins'];
  /** Tokens of the threshold that asked, or of the input window where that is known. */
  readonly limit: number | undefined;
  /** The open list of a state tool that is carried over, unless a newer one comes. */
  readonly state: Block | undefined;
}

/** Begins the draft of a plan; `threshold` is that which asked, in tokens. */
export function draftOf(
  parts: CompactorParts,
  plan: Plan,
  session: Session,
  told: RunRecord,
  threshold: number | undefined,
): Draft {
  const context = session.get(CONTEXT);
  const limits = context.limits();
  const window = limits.source === 'default' ? undefined : inputLimit(limits);
  const state = carriedState(parts, context.view(), plan, stateToolsOf(session));
  return { session, plan, told, pins: [], limit: threshold ?? window, state };
}

/** What is put before the tail. */
interface Contents {
  readonly summary: string;
  readonly autoReads: readonly Block[];
  readonly references: readonly Reference[];
}

const NOTHING: Contents = { summary: '', autoReads: [], references: [] };

/** What the plan could come to at best, with nothing before the tail: no worker is called where not even that would fit. */
export function bestCase(parts: CompactorParts, draft: Draft): CheckpointResult {
  return build(parts, draft, draft.session.get(CONTEXT).view(), NOTHING);
}

/** Builds the checkpoint; files are read now. Throws an {@link Ending} where the summarised part is not what it was. */
export async function buildFrom(parts: CompactorParts, draft: Draft, desk: OpenDesk): Promise<CheckpointResult> {
  const { desks, files, format, guard, log, tokenizer } = parts;
  const { plan, session, told } = draft;
  requireSamePrefix(session, plan);
  const countText = (text: string): number => tokenizer.countText(text);
  const summary = format.repair(desk.summary ?? '', desk.problems);
  const dropped = desk.problems.length;
  if (dropped > 0)
    log.warn('Lines of a summary were dropped: they quote what no message says.', { ...told.named, dropped });
  await nextSlice();
  const read = await readMarks({ files, guard, marks: desk.marks, budget: desks.budget, countText });
  await nextSlice();
  requireSamePrefix(session, plan);
  const references = [...desk.references, ...read.references];
  const view = session.get(CONTEXT).view();
  told.before = view.occupancy();
  told.found = { summary: { text: summary, tokens: countText(summary) }, marks: desk.marks, references };
  return build(parts, draft, view, { summary, autoReads: read.blocks, references });
}

/** Records the checkpoint, unless the prefix is no longer what the result was made for. Everything in one go. */
export function apply(
  { contentsLeft, log }: CompactorParts,
  { session, plan, told, pins }: Draft,
  desk: OpenDesk,
  { checkpoint, references, autoReads }: CheckpointResult & { readonly fits: true },
): void {
  requireSamePrefix(session, plan);
  const context = session.get(CONTEXT);
  session.record({ t: 'checkpoint', ...checkpoint });
  // From here on it is done; what else fails takes nothing back.
  const attempt = (what: string, work: () => void): void => {
    try {
      work();
    } catch (thrown) {
      log.warn(`${what}: ${messageOf(thrown)}`, told.named);
    }
  };
  for (const pin of pins) attempt('A pin of pre_compact was left out', () => context.pin(pin));
  const shown = new Set(autoReads.map(({ path }) => path));
  const marks = desk.marks.filter(({ path }) => shown.has(path));
  const after = context.view();
  attempt('The tracker was not told that contents left the context', () =>
    contentsLeft(session, [...marks.map(({ path }) => path), ...touchedIn(after)]),
  );
  told.found = {
    ...told.found,
    marks,
    references,
    after: { tokens: after.occupancy().tokens, items: after.length },
  };
}

/** Files that calls of the tail touched: what they showed still stands in the context (S7.2). */
function touchedIn(view: ContextView): readonly string[] {
  return [...view.items()].flatMap((item) =>
    item.kind === 'tool_call' ? pathsOfCall(item.name, item.arguments).map(({ path }) => path) : [],
  );
}

function build(
  parts: CompactorParts,
  { session, plan, told, pins, limit, state }: Draft,
  view: ContextView,
  { summary, autoReads, references }: Contents,
): CheckpointResult {
  const { tokenizer } = parts;
  const context = session.get(CONTEXT);
  const pinned = pins.reduce((sum, pin) => sum + tokenizer.countText(pinnedText(session, pin)), 0);
  return buildCheckpoint({
    compaction: told.id,
    context: view,
    plan: { ...plan, edits: [...plan.edits, ...laterEdits(view, plan)] },
    summary,
    state: isCalled(view, plan.length, stateToolsOf(session)) ? undefined : state,
    autoReads,
    references,
    before: view.occupancy().tokens,
    limit,
    seen: context.seen(),
    tokenizer,
    measure: (checkpoint: Checkpoint) => context.foresee(checkpoint).occupancy().tokens + pinned,
  });
}

/** The text that stands among the system content once it is pinned. */
function pinnedText(session: Session, pin: Advice['pins'][number]): string {
  if (typeof pin !== 'string') return pin.text;
  const number = session.indexOf(pin);
  const item = number === undefined ? undefined : session.item(number);
  if (item?.kind !== 'message') return '';
  return item.parts.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}

/** The open list before the cut; where no call stands in the context any more, the one that was carried over before. */
function carriedState(
  { guard, tokenizer }: CompactorParts,
  view: ContextView,
  plan: Plan,
  isState: (tool: string) => boolean,
): Block | undefined {
  if (!isCalled(view, 0, isState)) return view.system.find(({ block }) => block?.kind === 'state')?.block;
  const state = openState(view, plan.cut, isState);
  if (state === undefined) return undefined;
  const block = stateBlock(state.tool, guard?.mask(state.text) ?? state.text);
  return tokenizer.countText(block.text) <= STATE_MAX_TOKENS ? block : undefined;
}

function isCalled(view: ContextView, from: number, isState: (tool: string) => boolean): boolean {
  for (const item of view.items(from)) if (item.kind === 'tool_call' && isState(item.name)) return true;
  return false;
}

function requireSamePrefix(session: Session, plan: Plan): void {
  const view = session.get(CONTEXT).view();
  if (view.length < plan.cut || view.digestOf(plan.cut) !== plan.digest)
    throw new Ending('stale', 'The summarised part of the context changed while the worker ran.');
}
