/** Copies of this package in one process. They work together; that there are several is worth knowing. */
import { dirname } from 'node:path';

const COPIES = Symbol.for('pith/copies');

function loadedCopies(): Set<string> {
  const holder = globalThis as { [COPIES]?: Set<string> };
  return (holder[COPIES] ??= new Set());
}

loadedCopies().add(dirname(dirname(__dirname)));

/** Where the copies lie, if there is more than one; else nothing. */
export function severalCopies(): readonly string[] {
  const copies = [...loadedCopies()];
  return copies.length > 1 ? copies : [];
}
