/** How a request is prepared (S3.5, S9.2): the hook `pre_llm_request`, what handlers append, keep and project, and parking. */
import { CONTEXT } from '../context/context';
import type { ContextView } from '../context/view';
import { messageOf, PithError } from '../errors';
import type { HandlerResult } from '../kernel/hooks';
import type { Kernel } from '../kernel/kernel';
import { pluginErrorReporter } from '../kernel/plugin-error';
import type { Role } from '../session/items';
import type { Edit, ToolSchema } from '../session/records';
import type { Session } from '../session/session';
import { endOfRun } from './run-end';

/** How often a run may be parked for one request (S9.2). */
const MAX_YIELDS = 2;

/** What the next request sends. */
export interface PreparedRequest {
  readonly context: ContextView;
  readonly tools: readonly ToolSchema[];
  /** Digest of what is sent where it holds for this request alone; its usage measures nothing else. */
  readonly projection?: string;
  /** How many items from the start are sent again as they are; all where it is left out. */
  readonly stable?: number;
}

export interface RequestParts {
  readonly kernel: Pick<Kernel, 'bus' | 'dispatch' | 'log'>;
  readonly session: Session;
  readonly role: Role;
  readonly tools: readonly ToolSchema[];
}

/** Prepares the requests of one session, one after another. */
export class Requests {
  readonly #parts: RequestParts;
  readonly #report: (error: PithError) => void;
  #yields = 0;
  #checkpoint: number | undefined;

  constructor(parts: RequestParts) {
    this.#parts = parts;
    this.#report = pluginErrorReporter(parts.kernel.bus, parts.kernel.log);
    this.#checkpoint = lastSeenCheckpoint(parts.session);
  }

  /** The request was answered; the next one is another. */
  answered(): void {
    this.#yields = 0;
  }

  /**
   * Prepares the next request, or once more the one that the provider refused as too large. Throws what ends the run:
   * `PITH_RUN_ABORTED` or the error of the handler that aborted, `PITH_CANCELLED`, the overflow itself where no handler
   * parks the run, `PITH_UNRECOVERABLE_OVERFLOW` where handlers park it for ever.
   */
  async prepare(signal: AbortSignal, overflow?: PithError): Promise<PreparedRequest> {
    const { kernel, session, role } = this.#parts;
    for (;;) {
      const context = session.get(CONTEXT).view();
      const checkpoint = session.get(CONTEXT).checkpoint()?.seq;
      const rebuilt = checkpoint !== this.#checkpoint;
      const asked = { role, session, context, rebuilt, yields: this.#yields, ...(overflow && { overflow }) };
      const { results, ended } = await kernel.dispatch('pre_llm_request', asked, signal);
      this.#checkpoint = checkpoint;
      const prepared = this.#carryOut(results);
      if (ended?.result.do === 'abort') throw endOfRun({ ...ended.result, plugin: ended.plugin });
      if (ended?.result.do !== 'yield') {
        if (overflow !== undefined) throw overflow;
        return prepared;
      }
      const { reason, run } = ended.result;
      if (this.#yields++ >= MAX_YIELDS) throw overflow ?? parkedForEver(ended.plugin, reason);
      await this.#park(ended.plugin, reason, run, signal);
      if (overflow !== undefined && session.get(CONTEXT).view().digest !== context.digest) overflow = undefined;
    }
  }

  /** Records what is to last, and applies the rest to this request. */
  #carryOut(results: readonly HandlerResult<'pre_llm_request'>[]): PreparedRequest {
    const { session, tools } = this.#parts;
    const passing: (readonly Edit[])[] = [];
    let offer: readonly string[] | undefined;
    for (const { plugin, result } of results) {
      this.#unlessInvalid(plugin, () => {
        if (result.do === 'append') session.append(result.items, plugin);
        if (result.do !== 'project') return;
        if (result.keep === true) session.get(CONTEXT).keep(result.edits, plugin, result.reason);
        else if (result.edits.length > 0) passing.push(result.edits);
        offer = result.offer ?? offer;
      });
    }
    const lasting = session.get(CONTEXT).view();
    let context = lasting;
    for (const edits of passing) context = context.with(edits);
    const offered = offer === undefined ? tools : tools.filter(({ name }) => offer?.includes(name));
    const isProjected = passing.length > 0 || offered.length < tools.length;
    if (!isProjected) return { context, tools: offered };
    return { context, tools: offered, projection: context.digest, stable: sharedLength(context, lasting) };
  }

  #unlessInvalid(plugin: string, work: () => void): void {
    try {
      work();
    } catch (cause) {
      if (!PithError.is(cause, 'PITH_EDIT_INVALID')) throw cause;
      const message = `What plugin "${plugin}" asked of pre_llm_request was not done: ${messageOf(cause)}`;
      this.#report(new PithError('PITH_HOOK_FAILED', message, { plugin, hook: 'pre_llm_request', cause }));
    }
  }

  async #park(
    plugin: string,
    reason: string,
    run: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { kernel, session, role } = this.#parts;
    session.record({ t: 'run', outcome: 'yielded', reason });
    kernel.bus.publish('run.parked', { session: session.id, role, plugin, reason });
    try {
      await run(signal);
    } catch (cause) {
      signal.throwIfAborted();
      const message = `Plugin "${plugin}" failed while the run was parked (${reason}): ${messageOf(cause)}`;
      this.#report(new PithError('PITH_HOOK_FAILED', message, { plugin, hook: 'pre_llm_request', cause }));
    }
    signal.throwIfAborted();
  }
}

/** How many items two contexts of the same system content have in common from the start, by bisection. */
function sharedLength(one: ContextView, other: ContextView): number {
  let low = 0;
  let high = Math.min(one.length, other.length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (one.digestOf(middle) === other.digestOf(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The checkpoint in force, if a request was made since; an unseen one has rebuilt the context for the next request. */
function lastSeenCheckpoint(session: Session): number | undefined {
  const seq = session.get(CONTEXT).checkpoint()?.seq;
  if (seq === undefined) return undefined;
  for (const { t } of session.records(seq)) if (t === 'usage') return seq;
  return undefined;
}

function parkedForEver(plugin: string, reason: string): PithError {
  return new PithError(
    'PITH_UNRECOVERABLE_OVERFLOW',
    `Plugin "${plugin}" parks the run again and again for one request (${reason}); the request is not sent.`,
    { plugin, hook: 'pre_llm_request' },
  );
}
