/** Light or dark: as the system has it, or as was chosen on the page. */
import { h } from './dom';
import { repaint } from './palette';

const CHOICES = ['system', 'light', 'dark'] as const;

export function themeChoice(): HTMLElement {
  return h(
    'fieldset',
    { class: 'theme' },
    h('legend', { class: 'unseen' }, 'Colours'),
    ...CHOICES.map((choice, at) =>
      h(
        'label',
        {},
        h('input', { type: 'radio', name: 'theme', value: choice, checked: at === 0, onchange: () => choose(choice) }),
        h('span', {}, choice),
      ),
    ),
  );
}

function choose(choice: (typeof CHOICES)[number]): void {
  if (choice === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = choice;
  repaint();
}
