/** The service of the plugin: the timeline of an incident, once per session. */
import { createSessionToken } from 'pith';
import type { Session, SessionToken } from 'pith';
import { z } from 'zod';

/** What the agent found out. */
export interface Finding {
  readonly kind: 'symptom' | 'cause' | 'action';
  readonly text: string;
  /** Settled findings need nothing more. */
  readonly status: 'open' | 'settled';
}

/** A finding with the time at which it was noted, in milliseconds since the epoch. */
export interface Entry extends Finding {
  readonly at: number;
}

/** The timeline of a session; it follows restore and undo. */
export interface Timeline {
  /** Oldest first. */
  entries(): readonly Entry[];
  /** Adds an entry; one of the same text takes the place of the earlier one. Returns whether there was room. */
  add(entry: Entry): boolean;
}

/** Names the timeline for other plugins: `session.get(TIMELINE)`. */
export const TIMELINE: SessionToken<Timeline> = createSessionToken<Timeline>('incident/timeline');

const ENTRIES: z.ZodType<readonly Entry[]> = z.array(
  z.object({
    at: z.number(),
    kind: z.enum(['symptom', 'cause', 'action']),
    text: z.string(),
    status: z.enum(['open', 'settled']),
  }),
);

/** Makes the timeline of a session, kept in the session's own log. */
export function createTimeline(session: Session, most: number): Timeline {
  const state = session.state('incident', ENTRIES);
  const entries = (): readonly Entry[] => state.get() ?? [];
  return {
    entries,
    add(entry) {
      const others = entries().filter(({ text }) => text !== entry.text);
      if (others.length >= most) return false;
      state.set([...others, entry]);
      return true;
    },
  };
}

/** One line per entry. Open ones are marked so that the tool's newest result is carried over a compaction. */
export function renderTimeline(entries: readonly Entry[]): string {
  return entries
    .map(({ at, kind, text, status }) => `- [${status}] ${new Date(at).toISOString().slice(0, 16)}Z ${kind}: ${text}`)
    .join('\n');
}
