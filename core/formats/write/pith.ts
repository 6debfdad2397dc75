/** Writes a context as a session file of Pith (S12.1): a log that projects to the very same context. */
import type { ContextView } from '../../context/view';
import type { Block, RecordBody } from '../../session/records';

/**
 * JSON lines. System prompt and pins are recorded as such; blocks make a checkpoint that covers nothing, so that the next
 * compaction replaces them; the conversation follows item by item, with the ids it had.
 */
export function writePith(context: Pick<ContextView, 'system' | 'items' | 'digest' | 'occupancy'>): string {
  const bodies: RecordBody[] = [
    { t: 'session', schema: 'pith.session/1', id: `context-${context.digest.slice(0, 16)}` },
  ];
  const blocks: Block[] = [];
  for (const part of context.system) {
    if (part.kind === 'prompt') bodies.push({ t: 'settings', system: part.text });
    else if (part.kind === 'pin') {
      const { text, key } = part;
      bodies.push({ t: 'pin', text, ...(key !== undefined && { key }) });
    } else blocks.push(part.block ?? { kind: 'block', text: part.text });
  }
  if (blocks.length > 0) {
    const { tokens } = context.occupancy();
    bodies.push({
      t: 'checkpoint',
      compaction: 'carried-over',
      blocks,
      cut: 0,
      edits: [],
      before: tokens,
      after: tokens,
    });
  }
  for (const item of context.items()) bodies.push({ t: 'item', item });
  return bodies.map((body, seq) => `${JSON.stringify({ seq, at: 0, ...body })}\n`).join('');
}
