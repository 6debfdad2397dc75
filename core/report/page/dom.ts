/** Elements, built of what is said about them. Texts reach the document as text alone. */

type Property = string | number | boolean | undefined | ((event: never) => void);
export type Child = Node | string | undefined;

/** What a part of the page is: an element, and how it follows the report. */
export interface Part<T> {
  readonly element: HTMLElement;
  update(shown: T): void;
}

/**
 * An element with attributes, listeners (`onclick` …) and children. `true` is an attribute without a value; `false` and undefined
 * leave it out. Names are those of this code; whatever a session says may be a value or a child only.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Readonly<Record<string, Property>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else setAttribute(element, name, value);
  }
  for (const child of children) if (child !== undefined) element.append(child);
  return element;
}

/** Sets an attribute where it is another one than before. */
export function setAttribute(element: Element, name: string, value: string | number | boolean | undefined): void {
  if (value === undefined || value === false) element.removeAttribute(name);
  else {
    const text = value === true ? '' : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Sets the text of an element where it is another one than before. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** A section under a heading of its own. */
export function section(id: string, title: string, ...children: readonly Child[]): HTMLElement {
  return h(
    'section',
    { id, class: 'panel', 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title),
    ...children,
  );
}

/** What is folded away until somebody asks for it: made when it is first opened, brought up to date while it is open. */
export function folded<T>(title: string, make: () => Part<T>): Part<T> {
  let part: Part<T> | undefined;
  let latest: T | undefined;
  const label = h('summary', {}, title);
  const element = h('details', { ontoggle: show }, label);
  return {
    element,
    update(shown) {
      latest = shown;
      show();
    },
  };

  function show(): void {
    if (!element.open || latest === undefined) return;
    if (part === undefined) {
      part = make();
      element.append(part.element);
    }
    part.update(latest);
  }
}
