/** Which files the agent touched, newest first, and what it last saw of them (S7). */
import { createHash } from 'node:crypto';
import type { Tracker } from './token';

/** What the agent saw of a file. */
interface Seen {
  readonly hash: string;
  /** Whether those contents still stand in the context. */
  inContext: boolean;
}

/**
 * A tracker of at most `capacity` files. Paths may come in any spelling; `canonical` gives the one by which a file is known,
 * so that a symlink and its target are one entry.
 */
export function createTracker(capacity: number, canonical: (path: string) => string): Tracker {
  /** Oldest first: a map keeps the order in which keys were set. */
  const recent = new Map<string, true>();
  const seen = new Map<string, Seen>();

  return {
    record: (path, bytes) => {
      const file = canonical(path);
      recent.delete(file);
      recent.set(file, true);
      if (recent.size > capacity) recent.delete(recent.keys().next().value as string);
      if (bytes !== undefined) seen.set(file, { hash: hashOf(bytes), inContext: true });
    },
    recentFiles: (n) => [...recent.keys()].reverse().slice(0, Math.max(0, n)),
    observed: (path) => seen.get(canonical(path))?.hash,
    changedSince: (path, bytes) => {
      const last = seen.get(canonical(path));
      return last === undefined || !last.inContext || last.hash !== hashOf(bytes);
    },
    forgetContents: (except = []) => {
      const kept = new Set([...except].map(canonical));
      for (const [file, last] of seen) last.inContext &&= kept.has(file);
    },
  };
}

function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
