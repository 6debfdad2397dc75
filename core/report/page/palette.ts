/** The colours of the style sheet, for what is painted on canvases. */

const NAMES = ['panel', 'ink', 'muted', 'line', 'accent', 'kept', 'changed', 'summarised', 'dropped', 'again'] as const;

export type Palette = Readonly<Record<(typeof NAMES)[number], string>>;

/** How things are told apart beside their colour. */
export type Pattern = 'solid' | 'stripes' | 'dots' | 'hollow';

let palette: Palette | undefined;
const painters = new Set<() => void>();

/** What the colours are now: light or dark, for print, or those that the system imposes. */
export function colours(): Palette {
  if (palette !== undefined) return palette;
  const probe = document.body.appendChild(document.createElement('span'));
  probe.className = 'probe';
  const read = (name: string): [string, string] => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  };
  palette = Object.fromEntries(NAMES.map(read)) as Palette;
  probe.remove();
  return palette;
}

/** Calls for paint when the colours have changed. */
export function onColours(paint: () => void): void {
  painters.add(paint);
}

/** Has all that is painted painted anew. */
export function repaint(): void {
  palette = undefined;
  for (const paint of painters) paint();
}

/** Watches what decides about colours beside the choice on the page. */
export function watchColours(): void {
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)', 'print'])
    matchMedia(query).addEventListener('change', repaint);
}

/** What fills an area in a colour and a pattern. `ratio` is device pixels per CSS pixel. */
export function fillOf(
  context: CanvasRenderingContext2D,
  colour: string,
  pattern: Pattern,
  ratio: number,
): string | CanvasPattern {
  if (pattern === 'solid') return colour;
  const size = Math.max(4, Math.round((pattern === 'dots' ? 4 : 6) * ratio));
  const tile = document.createElement('canvas');
  tile.width = tile.height = size;
  const draw = tile.getContext('2d');
  if (draw === null) return colour;
  draw.fillStyle = draw.strokeStyle = colour;
  draw.globalAlpha = pattern === 'hollow' ? 0.12 : 0.28;
  draw.fillRect(0, 0, size, size);
  draw.globalAlpha = pattern === 'hollow' ? 0.55 : 1;
  if (pattern === 'dots') {
    const dot = size / 2;
    draw.fillRect(0, 0, dot, dot);
    draw.fillRect(dot, dot, size - dot, size - dot);
  } else {
    const isRising = pattern === 'stripes';
    draw.lineWidth = size / (isRising ? 2.6 : 6);
    for (const shift of [-size, 0, size]) {
      draw.beginPath();
      draw.moveTo(shift - 1, isRising ? size + 1 : -1);
      draw.lineTo(shift + size + 1, isRising ? -1 : size + 1);
      draw.stroke();
    }
  }
  const repeated = context.createPattern(tile, 'repeat');
  repeated?.setTransform(new DOMMatrix().scale(1 / ratio));
  return repeated ?? colour;
}
