/** What each request of a session sent, seen from afterwards: one entry per reply of the model. */
import { createContext } from '../context/context';
import type { ContextLog } from '../context/context';
import type { Item } from '../session/items';
import type { Position, Usage } from '../session/records';
import type { Session } from '../session/session';
import type { Estimate } from '../tokens/occupancy';
import type { Tokenizer } from '../tokens/tokenizer';

/** One reply of the model and the request that it answers. */
export interface PastRequest {
  /** 0-based number of the first item of the reply; the prompt was what stood before it. */
  readonly item: number;
  /** Position of that item in the log. */
  readonly seq: Position;
  /** What the provider reported for it; the newest figures where it did so several times. */
  readonly usage?: Usage;
}

/** The requests of a session in their order. */
export function pastRequests(session: Pick<Session, 'records'>): readonly PastRequest[] {
  const requests: PastRequest[] = [];
  let number = 0;
  let reply: string | undefined;
  let isOpen = false;
  /** Of a reply that is nothing but calls, which come after it in a log of Pith's own. */
  let early: Usage | undefined;
  for (const record of session.records()) {
    const newest = requests.at(-1);
    if (record.t === 'usage') {
      if (record.on !== undefined && !isOpen) early = record.usage;
      else if (newest !== undefined) requests[requests.length - 1] = { ...newest, usage: record.usage };
    }
    if (record.t !== 'item') continue;
    if (!isOfModel(record.item)) isOpen = false;
    else {
      const continues = record.item.reply === undefined ? isOpen && reply === undefined : record.item.reply === reply;
      if (!continues) {
        requests.push({ item: number, seq: record.seq, ...(early !== undefined && { usage: early }) });
        early = undefined;
      }
      reply = record.item.reply;
      isOpen = true;
    }
    number++;
  }
  return requests;
}

/** What the prompts of these requests took: as the provider measured them, else as the log up to there lets estimate. */
export function occupancyOf(
  session: Session,
  requests: readonly PastRequest[],
  tokenizer: Tokenizer,
): readonly Estimate[] {
  let end: Position = 0;
  const log: ContextLog = {
    records: (from) => session.records(from, end),
    record: () => undefined,
    item: (index) => session.item(index),
    indexOf: (id) => session.indexOf(id),
  };
  const context = createContext(log, { tokenizer });
  return requests.map(({ seq, usage }) => {
    end = seq;
    const estimate = context.view().occupancy();
    return usage === undefined ? estimate : { tokens: usage.inputTokens, margin: 0, source: 'measured' };
  });
}

function isOfModel(item: Item): boolean {
  return (
    item.kind === 'tool_call' || item.kind === 'reasoning' || (item.kind === 'message' && item.role === 'assistant')
  );
}
