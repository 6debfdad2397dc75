/** Guesses what a misspelt name was meant to be, for messages that say what to do. */
import { closest, distance } from 'fastest-levenshtein';

/** The known name nearest to this one, or undefined where none is near. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  const names = [...known];
  if (names.length === 0) return undefined;
  const best = closest(name, names);
  return distance(name, best) <= Math.max(2, Math.floor(name.length / 3)) ? best : undefined;
}
