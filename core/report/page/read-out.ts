/** A chart that is read point by point: with the pointer, and with the keys as a slider, whose value is the words for a point. */
import { h, setAttribute, setText } from './dom';
import { steppedTo } from './stepping';

export interface ReadOutOptions {
  /** What a point is, for those who hear the page. */
  readonly label: string;
  /** What takes pointer and focus; lies over the chart. */
  readonly surface: HTMLElement;
  /** A point in words. */
  say(at: number): string;
  /** Shows where a point is; undefined: nowhere. */
  point(at: number | undefined): void;
}

/** The read-out of a chart, with the point that it is at. */
export class ReadOut {
  /** The words for the point, below the chart. */
  readonly element = h('p', { class: 'read-out' });
  readonly #options: ReadOutOptions;
  #count = 0;
  /** The point that was chosen, 0-based. */
  #at = 0;
  /** The point under the pointer. */
  #hovered: number | undefined;

  constructor(options: ReadOutOptions) {
    this.#options = options;
    const { surface, label } = options;
    for (const [name, value] of Object.entries({
      role: 'slider',
      tabindex: 0,
      'aria-label': label,
      'aria-valuemin': 1,
    }))
      setAttribute(surface, name, value);
    surface.addEventListener('keydown', (event) => this.#press(event));
    surface.addEventListener('focus', () => this.#show());
    surface.addEventListener('blur', () => this.#show());
  }

  /** The point that was chosen. */
  get at(): number {
    return this.#at;
  }

  /** There are so many points now. Who was at the last one goes along. */
  update(count: number): void {
    if (this.#at >= this.#count - 1) this.#at = Math.max(0, count - 1);
    this.#count = count;
    setAttribute(this.#options.surface, 'aria-valuemax', Math.max(1, count));
    this.#show();
  }

  /** Shows a point as long as the pointer is there. */
  hover(at: number | undefined): void {
    if (at === this.#hovered) return;
    this.#hovered = at;
    this.#show();
  }

  /** Goes to a point and stays there. */
  choose(at: number): void {
    this.#at = Math.min(this.#count - 1, Math.max(0, at));
    this.#show();
  }

  #press(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = steppedTo(event.key, this.#at, this.#count);
    if (to === undefined) return;
    event.preventDefault();
    this.#hovered = undefined;
    this.choose(to);
  }

  #show(): void {
    const { surface, say, point } = this.#options;
    if (this.#count === 0) return;
    setAttribute(surface, 'aria-valuenow', this.#at + 1);
    setAttribute(surface, 'aria-valuetext', say(this.#at));
    setText(this.element, say(this.#hovered ?? this.#at));
    point(this.#hovered ?? (document.activeElement === surface ? this.#at : undefined));
  }
}
