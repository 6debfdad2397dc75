/** What a session tells of the time before: prompts that can be recalled, and what the provider measured. */
import type { Item } from '../session/items';
import type { Usage } from '../session/records';
import type { Session } from '../session/session';

/** Prompts that can be recalled. */
const MOST_PROMPTS = 200;

/** Prompts of the user, the newest first, and all measurements, the newest last. Costs one walk through the log. */
export function past(session: Pick<Session, 'records'>): {
  readonly prompts: readonly string[];
  readonly usages: readonly Usage[];
} {
  const prompts: string[] = [];
  const usages: Usage[] = [];
  for (const record of session.records()) {
    if (record.t === 'usage') usages.push(record.usage);
    if (record.t !== 'item' || record.item.kind !== 'message') continue;
    if (record.item.role === 'user' && record.item.by === undefined) prompts.push(textOf(record.item));
  }
  return { prompts: prompts.slice(-MOST_PROMPTS).reverse(), usages };
}

/** The text of a message; a name in the place of each image. */
export function textOf(item: Item | undefined): string {
  if (item?.kind !== 'message') return '';
  return item.parts.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}
