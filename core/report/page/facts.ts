/** Short facts with their names. */
import { h } from './dom';

/** Facts with their names; those that are not known are left out. */
export function factList(facts: readonly (readonly [string, string | undefined])[]): HTMLElement {
  return h(
    'dl',
    { class: 'facts' },
    ...facts.flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [h('div', {}, h('dt', {}, name), h('dd', {}, value))],
    ),
  );
}
