/** What could be done about the context now, and whether the session is whole. */
import type { Report } from '../report';
import { h, section } from './dom';
import type { Part } from './dom';
import { counted, figure } from './figures';

export function outlookPart(): Part<Report> {
  const list = h('ul', { class: 'plain' });
  return {
    element: section('outlook', 'What could be done', list),
    update({ outlook: { prune, plan } }) {
      fill(list, [
        prune === undefined || prune.candidates === 0
          ? 'Pruning would save nothing.'
          : `Pruning would save ${figure(prune.savedTokens)} tokens in ${counted(prune.candidates, 'tool result')}.`,
        plan === undefined
          ? 'A compaction would summarise nothing.'
          : `A compaction would cut before item ${figure(plan.cutItem)}: ${counted(plan.summarised.items, 'item')} (${figure(plan.summarised.tokens)} tokens) summarised, ${counted(plan.retained.items, 'item')} (${figure(plan.retained.tokens)} tokens) kept.`,
      ]);
    },
  };
}

export function integrityPart(): Part<Report> {
  const list = h('ul', { class: 'plain' });
  return {
    element: section('integrity', 'Integrity', list),
    update({ integrity: { orphanResults, unansweredCalls } }) {
      const lines: string[] = [];
      if (orphanResults > 0) lines.push(`⚠ ${counted(orphanResults, 'result')} without a call; no context shows them.`);
      if (unansweredCalls > 0)
        lines.push(`⚠ ${counted(unansweredCalls, 'call')} without a result; contexts close them as interrupted.`);
      fill(list, lines.length === 0 ? ['✓ Every call has its result.'] : lines);
    },
  };
}

function fill(list: HTMLElement, lines: readonly string[]): void {
  if (lines.join('\n') !== [...list.children].map(({ textContent }) => textContent).join('\n'))
    list.replaceChildren(...lines.map((line) => h('li', {}, line)));
}
