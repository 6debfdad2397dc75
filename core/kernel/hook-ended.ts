/** The event of a hook whose handlers are done: what it took, and what came of it (S3.7). */
import type { Bus } from '../bus/bus';
import { PithError } from '../errors';
import type { ErrorCode } from '../errors';
import type { HookName } from './hook-map';
import type { Dispatched } from './hooks';

/** A dispatch is over. Its beginning is heard as `hook:<name>`. */
export interface HookEndedEvent {
  readonly hook: string;
  /** The role and the id of the session of what was dispatched, where it has them. */
  readonly role?: string;
  readonly session?: string;
  /** Milliseconds, with fractions, from the first handler to the last. */
  readonly durationMs: number;
  /** The plugin that ended the chain, and by which result. */
  readonly ended?: { readonly plugin: string; readonly do: string };
  /** The plugins whose handlers failed. */
  readonly failed: readonly string[];
  /** Why nothing came of it: it was cancelled, or the kernel stopped. */
  readonly code?: ErrorCode;
}

declare module '../bus/bus' {
  interface EventMap {
    'hook.ended': HookEndedEvent;
  }
}

/** What is to be told of a dispatch that began at a time of `performance.now()`. */
export interface BegunDispatch {
  readonly hook: string;
  readonly event: unknown;
  readonly begun: number;
}

/** Tells the end of a dispatch. */
export function tellEnd(bus: Bus, { hook, event, begun }: BegunDispatch, outcome: Promise<Dispatched<HookName>>): void {
  const tell = (end: Pick<HookEndedEvent, 'failed' | 'ended' | 'code'>): void =>
    bus.publish('hook.ended', { hook, ...aboutOf(event), durationMs: performance.now() - begun, ...end });
  outcome.then(
    ({ ended, errors }) =>
      tell({
        failed: errors.map(({ plugin }) => plugin),
        ...(ended !== undefined && {
          ended: { plugin: ended.plugin, do: (ended.result as { readonly do: string }).do },
        }),
      }),
    (thrown: unknown) => tell({ failed: [], ...(PithError.is(thrown) && { code: thrown.code }) }),
  );
}

/** Role and session of an event, and nothing of what it says. */
function aboutOf(event: unknown): Pick<HookEndedEvent, 'role' | 'session'> {
  const { role, session } = (event ?? {}) as { readonly role?: unknown; readonly session?: unknown };
  const { id } = (session ?? {}) as { readonly id?: unknown };
  return { ...(typeof role === 'string' && { role }), ...(typeof id === 'string' && { session: id }) };
}
