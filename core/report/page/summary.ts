/** The summary of a compaction, by its sections. */
import type { Report } from '../report';
import { h, section } from './dom';
import type { Part } from './dom';
import { figure, shown } from './figures';
import { parseMarkdown } from './markdown';
import type { Span, TextBlock } from './markdown';

export function summaryPart(): Part<Report> {
  const text = h('div', { class: 'prose' });
  const note = h('p', { class: 'help' });
  const empty = h(
    'p',
    { class: 'empty' },
    'There is no summary: the session was not compacted, or its compaction changed nothing.',
  );
  let drawn: string | undefined;
  return {
    element: section('summary', 'Summary', note, text, empty),
    update({ compaction }) {
      const summary = compaction?.summary;
      empty.hidden = summary !== undefined;
      text.hidden = note.hidden = summary === undefined;
      if (summary === undefined || summary.text === drawn) return;
      drawn = summary.text;
      note.textContent = `${figure(summary.tokens)} tokens, as the model is told it.`;
      text.replaceChildren(...topics(parseMarkdown(summary.text)));
    },
  };
}

/** Blocks below the headings of the highest level, each such heading with what is below it as one. */
function topics(blocks: readonly TextBlock[]): readonly HTMLElement[] {
  const top = Math.min(6, ...blocks.flatMap((block) => (block.kind === 'heading' ? [block.level] : [])));
  const parts: HTMLElement[] = [];
  for (const block of blocks) {
    const isTop = block.kind === 'heading' && block.level === top;
    const last = parts.at(-1);
    const part = isTop || last === undefined ? h('section') : last;
    if (part !== last) parts.push(part);
    part.append(elementOf(block, top));
  }
  return parts;
}

function elementOf(block: TextBlock, top: number): HTMLElement {
  switch (block.kind) {
    case 'heading': {
      const tag = (['h3', 'h4', 'h5', 'h6'] as const)[Math.min(3, block.level - top)] ?? 'h6';
      return h(tag, {}, ...spans(block.text));
    }
    case 'paragraph':
      return h('p', {}, ...spans(block.text));
    case 'list':
      return h(block.isOrdered ? 'ol' : 'ul', {}, ...block.items.map((item) => h('li', {}, ...spans(item))));
    case 'code':
      return h('pre', { tabindex: 0 }, shown(block.text));
  }
}

function spans(text: readonly Span[]): readonly (Node | string)[] {
  return text.map((span) => {
    if (span.kind === 'plain') return shown(span.text);
    return h(span.kind === 'code' ? 'code' : 'strong', {}, shown(span.text));
  });
}
