/** A compaction: its context before and after, as two bars of one scale, and by parts. */
import type { ContextPart, ContextSide, Report, ReportCompaction } from '../report';
import { bar } from './cells';
import { folded, h, section } from './dom';
import type { Child, Part } from './dom';
import { factList } from './facts';
import { duration, figure, percent, shown } from './figures';
import { PART_NAMES } from './names';
import { table } from './table';

export function compactionPart(): Part<Report> {
  const body = h('div', { class: 'stack' });
  const element = section('compaction', 'Compaction: before and after', body);
  let drawn: string | undefined;
  return {
    element,
    update({ compaction, outlook }) {
      // A compaction that is over does not change any more.
      const key = compaction === undefined ? JSON.stringify(outlook) : compaction.id + compaction.outcome;
      if (key === drawn) return;
      drawn = key;
      if (compaction === undefined) body.replaceChildren(h('p', { class: 'empty' }, 'The session was not compacted.'));
      else body.replaceChildren(...compactionOf(compaction));
    },
  };
}

function compactionOf(compaction: ReportCompaction): readonly HTMLElement[] {
  const { before, after } = compaction;
  const scale = Math.max(1, before.tokens, after?.tokens ?? 0);
  return [
    factsOf(compaction),
    h(
      'div',
      { class: 'sides' },
      sideOf('Before', before, scale),
      after === undefined
        ? h('div', { class: 'side' }, h('h3', {}, 'After'), h('p', { class: 'empty' }, 'Nothing changed.'))
        : sideOf('After', after, scale),
    ),
  ];
}

function factsOf({
  outcome,
  trigger,
  worker,
  reason,
  plan,
  before,
  after,
  durationMs,
  autoReadBudget,
}: ReportCompaction): HTMLElement {
  const read = after?.parts.filter(({ kind }) => kind === 'file').reduce((sum, { tokens }) => sum + tokens, 0) ?? 0;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Outcome', shown(outcome)],
    [
      'Saved',
      after &&
        `${figure(before.tokens - after.tokens)} tokens (${percent(before.tokens - after.tokens, before.tokens)})`,
    ],
    ['Cut before item', plan && figure(plan.cutItem)],
    ['Summarised', plan && `${figure(plan.summarised.items)} items, ${figure(plan.summarised.tokens)} tokens`],
    ['Kept', plan && `${figure(plan.retained.items)} items, ${figure(plan.retained.tokens)} tokens`],
    [
      'Files read again',
      after && `${figure(read)}${autoReadBudget === undefined ? '' : ` of ${figure(autoReadBudget)}`} tokens`,
    ],
    ['Asked for by', trigger && shown(trigger)],
    ['Worker', worker && shown(worker)],
    ['Took', durationMs === undefined ? undefined : duration(durationMs)],
    ['Reason', reason && shown(reason)],
  ];
  return factList(facts);
}

function sideOf(title: string, { tokens, parts }: ContextSide, scale: number): HTMLElement {
  const stack = h('div', { class: 'stacked', 'aria-hidden': 'true' });
  for (const { kind, tokens: part } of parts) {
    const piece = h('i', { class: `part ${kind}` });
    piece.style.width = `${String((100 * part) / scale)}%`;
    stack.append(piece);
  }
  const listed = table(
    `${title}: parts of the context`,
    [
      { title: 'Part', isHeader: true, class: 'name' },
      { title: h('span', { class: 'unseen' }, 'Share as a bar'), class: 'bar' },
      { title: 'Tokens', isNumber: true },
      { title: 'Share', isNumber: true },
    ],
    { class: 'parts' },
  );
  const most = Math.max(1, ...parts.map((part) => part.tokens));
  listed.fill(
    parts.map((part, at) => [
      { key: String(at), draw: () => nameOf(part) },
      bar(part.tokens / most),
      figure(part.tokens),
      percent(part.tokens, tokens),
    ]),
  );
  const said = parts.map(({ kind, tokens: part }) => `${PART_NAMES[kind]} ${figure(part)}`).join(', ');
  return h(
    'div',
    { class: 'side' },
    h('h3', {}, title, h('span', { class: 'total' }, `${figure(tokens)} tokens`)),
    h('div', { role: 'img', 'aria-label': `${title}: ${figure(tokens)} tokens. ${said}.` }, stack),
    listed.element,
  );
}

/** The name of a part, folded over what stands there. */
function nameOf({ kind, name, text }: ContextPart): HTMLElement {
  // The lines of a file stay together where its path breaks.
  const [, path = name, lines = ''] = /^(.*)(:\d+-\d+)$/su.exec(name) ?? [];
  const label: readonly Child[] = [
    h('i', { class: `swatch part ${kind}`, 'aria-hidden': 'true' }),
    shown(path),
    h('span', { class: 'lines' }, lines),
  ];
  if (text === undefined) return h('span', { class: 'part-name' }, ...label);
  const inner = folded<string>('', () => {
    const place = h('pre', { tabindex: 0, 'aria-label': `Text of ${shown(name)}` });
    return { element: place, update: (content) => (place.textContent = shown(content)) };
  });
  inner.element.querySelector('summary')?.append(h('span', { class: 'part-name' }, ...label));
  inner.update(text);
  return inner.element;
}
