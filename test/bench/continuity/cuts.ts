/** Where sessions are cut: what lies before is compacted, what lies behind tells what was needed. */
import { fileCalls } from '../../../core';
import type { Item } from '../../../core';
import type { RealSession } from './corpus';

/** File operations that a session must have before and behind a cut. */
const BEHIND = 15;
const AHEAD = 10;

/** A place between two requests. */
export interface Cut {
  /** Records and items before it. */
  readonly records: number;
  readonly items: number;
  /** Tokens before it. */
  readonly tokens: number;
  /** It lies at the end of a turn: the next item is a prompt. */
  readonly isTurnEnd: boolean;
}

export interface CutOptions {
  /** Tokens between two cuts inside of turns; ends of turns are cut where half as many lie between. */
  readonly every: number;
  /** Tokens that must lie before a cut. */
  readonly atLeast: number;
  tokensOf(item: Item): number;
}

/** The cuts of a session: at ends of turns, and between the requests of long turns, never between a call and its result. */
export function cutsOf({ records }: RealSession, { every, atLeast, tokensOf }: CutOptions): readonly Cut[] {
  const operations = records.filter((record) => record.t === 'item' && isFileCall(record.item as Item)).length;
  const cuts: Cut[] = [];
  const open = new Set<string>();
  let before: Item | undefined;
  let behind = 0;
  let tokens = 0;
  let items = 0;
  for (const [position, record] of records.entries()) {
    if (record.t !== 'item') continue;
    const item = record.item as Item;
    const isTurnEnd = item.kind === 'message' && item.role === 'user';
    if (isTurnEnd) open.clear();
    const isRequest = item.kind !== 'tool_result' && before?.kind === 'tool_result';
    const away = tokens - (cuts.at(-1)?.tokens ?? -Infinity);
    if (
      open.size === 0 &&
      (isTurnEnd ? away >= every / 2 : isRequest && away >= every) &&
      tokens >= atLeast &&
      behind >= BEHIND &&
      operations - behind >= AHEAD
    )
      cuts.push({ records: position, items, tokens, isTurnEnd });
    if (item.kind === 'tool_call') open.add(item.callId);
    if (item.kind === 'tool_result') open.delete(item.callId);
    if (isFileCall(item)) behind++;
    tokens += tokensOf(item);
    items++;
    before = item;
  }
  return cuts;
}

function isFileCall(item: Item): boolean {
  return item.kind === 'tool_call' && fileCalls(item.name, item.arguments).length > 0;
}

/** The items behind a cut up to a number of tool calls, with the results of these. */
export function horizonOf(items: readonly Item[], calls: number): readonly Item[] {
  const open = new Set<string>();
  const taken: Item[] = [];
  let left = calls;
  for (const item of items) {
    if (item.kind === 'tool_call' && left-- <= 0) break;
    if (item.kind === 'tool_call') open.add(item.callId);
    if (item.kind === 'tool_result' && !open.has(item.callId)) continue;
    taken.push(item);
  }
  return taken;
}
