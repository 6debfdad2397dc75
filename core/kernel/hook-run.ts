/**
 * One dispatch of one hook (S3.5, S3.6): its handlers one after another, each behind a fence and a deadline. Written with
 * callbacks on one promise instead of `await`, so that a handler that never ends can be left behind, and because that costs
 * no more than an awaited loop.
 */
import { isThenable } from '../bus/thenable';
import { watchdog } from '../bus/watchdog';
import type { Watched } from '../bus/watchdog';
import type { PithError } from '../errors';
import { dispatchCancelled, handlerLate, handlerThrew, outcomeProblem, outcomeUnknown } from './hook-errors';
import type { HookEvent, HookName, HookResult } from './hook-map';
import type { Dispatched, Handler, HandlerFailure, HandlerResult, HookDefinition, OnError } from './hooks';

/** A handler in its place among the others. */
export interface Tap {
  readonly plugin: string;
  readonly handler: Handler<HookName>;
  readonly roles: readonly string[];
  readonly order: 'first' | 'last' | undefined;
  readonly deadlineMs: number | null;
  /** The deadline in ticks of the watchdog. */
  readonly ticks: number;
  /** Undefined: what the hook says. */
  readonly onError: OnError | undefined;
  /** Whether it gets a signal of its own for each call; a handler that declares only the event gets the plugin's. */
  readonly takesSignal: boolean;
  readonly pluginSignal: AbortSignal;
}

/** What a run knows of its hook. */
export interface RunHost {
  readonly definition: HookDefinition;
  /** Told of each handler that failed; must not throw. */
  report(error: PithError): void;
}

/** What comes after a handler: the next one, the end of the chain, or waiting for it. */
type Step = 'next' | 'ended' | 'waits';

/** Dispatches are many and nearly all return nothing: those share these. */
const NONE: readonly never[] = Object.freeze([]);

export class HookRun implements Watched {
  due = 0;
  slot = -1;
  #results: readonly HandlerResult<HookName>[] = NONE;
  #errors: readonly HandlerFailure[] = NONE;
  #ended: Dispatched<HookName>['ended'] = undefined;
  #at = 0;
  #controller: AbortController | undefined = undefined;
  /** Counts the handlers that were left behind; listeners made before are deaf. */
  #left = 0;
  #over = false;
  #onValue: ((value: unknown) => void) | undefined = undefined;
  #onError: ((thrown: unknown) => void) | undefined = undefined;
  #resolve!: (dispatched: Dispatched<HookName>) => void;
  #reject!: (error: PithError) => void;
  #event: HookEvent<HookName>;
  readonly #role: string | undefined;

  constructor(
    /** The router, which ends its runs when the kernel stops. */
    readonly owner: object,
    readonly host: RunHost,
    readonly taps: readonly Tap[],
    event: HookEvent<HookName>,
  ) {
    this.#event = event;
    this.#role = roleOf(event);
  }

  /** Calls the handlers. Rejects with `PITH_CANCELLED` when the signal aborts first. */
  start(signal: AbortSignal | undefined): Promise<Dispatched<HookName>> {
    if (this.#advance() !== 'waits') return Promise.resolve(this.#dispatched());
    watchdog.watch(this);
    const outcome = new Promise<Dispatched<HookName>>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    return signal === undefined ? outcome : this.#endedBy(signal, outcome);
  }

  /** The deadline of the present handler has passed. */
  expire(): void {
    const error = handlerLate(this.#tap(), this.#hook);
    this.#leaveBehind(error);
    watchdog.watch(this);
    this.#goOn(this.#fail(error));
  }

  /**
   * Ends a run that waits, at once: it rejects, the present handler's signal aborts, no further one is called. One that has
   * ended is left alone.
   */
  end(error: PithError): void {
    if (this.slot < 0) return;
    this.#over = true;
    watchdog.unwatch(this);
    this.#leaveBehind(error);
    this.#reject(error);
  }

  #endedBy(signal: AbortSignal, outcome: Promise<Dispatched<HookName>>): Promise<Dispatched<HookName>> {
    const cancel = (): void => this.end(dispatchCancelled(this.#hook, signal));
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel(); // by one of the handlers that have run already
    return outcome.finally(() => signal.removeEventListener('abort', cancel));
  }

  /** Calls handlers until one is waited for or none is left. */
  #advance(): Step {
    const { taps } = this;
    for (; this.#at < taps.length && !this.#over; this.#at++) {
      const tap = taps[this.#at] as Tap;
      if (this.#role !== undefined && !tap.roles.includes(this.#role)) continue;
      const step = this.#call(tap);
      if (step !== 'next') return step;
    }
    return 'ended';
  }

  #call(tap: Tap): Step {
    try {
      const outcome: unknown = tap.handler(this.#event, tap.takesSignal ? this.#newSignal() : tap.pluginSignal);
      if (outcome === undefined) return 'next';
      if (!isThenable(outcome)) return this.#take(outcome);
      this.#await(tap, outcome);
      return 'waits';
    } catch (thrown) {
      return this.#fail(handlerThrew(this.#tap(), this.#hook, thrown));
    }
  }

  #newSignal(): AbortSignal {
    this.#controller = new AbortController();
    return this.#controller.signal;
  }

  #await(tap: Tap, outcome: PromiseLike<unknown>): void {
    this.due = watchdog.after(tap.ticks);
    if (this.#onValue === undefined) {
      const left = this.#left;
      this.#onValue = (value) => {
        if (left === this.#left) this.#goOn(value === undefined ? 'next' : this.#take(value));
      };
      this.#onError = (thrown) => {
        if (left === this.#left) this.#goOn(this.#fail(handlerThrew(this.#tap(), this.#hook, thrown)));
      };
    }
    // what is not a promise of this realm may settle twice or at once; a promise around it does not
    const promise = outcome instanceof Promise ? outcome : Promise.resolve(outcome);
    void promise.then(this.#onValue, this.#onError);
  }

  /** Goes on after something that was waited for. */
  #goOn(step: Step): void {
    if (step === 'next') {
      this.#at++;
      step = this.#advance();
    }
    if (step === 'waits' || this.#over) return;
    watchdog.unwatch(this);
    this.#resolve(this.#dispatched());
  }

  /** Makes the present handler's outcome count no more. */
  #leaveBehind(reason: PithError): void {
    this.#left++;
    this.#onValue = undefined;
    if (this.#tap().takesSignal) this.#controller?.abort(reason);
  }

  #take(outcome: unknown): Step {
    const { definition } = this.host;
    const { plugin } = this.#tap();
    try {
      const problem = outcomeProblem(outcome, definition);
      if (problem !== undefined) return this.#fail(outcomeUnknown(this.#tap(), this.#hook, problem));
      const result = outcome as HookResult<HookName>;
      if (definition.ends?.includes((outcome as { readonly do: string }).do) === true) {
        this.#ended = { plugin, result };
        return this.#keep(result);
      }
      if (definition.apply === undefined) return this.#keep(result);
      const applied = definition.apply(this.#event, result, plugin);
      if (isThenable(applied)) return this.#awaitApplied(applied as PromiseLike<HookEvent<HookName>>, result);
      this.#event = applied;
      return this.#keep(result);
    } catch (thrown) {
      return this.#fail(handlerThrew(this.#tap(), this.#hook, thrown));
    }
  }

  #awaitApplied(applied: PromiseLike<HookEvent<HookName>>, result: HookResult<HookName>): Step {
    const left = this.#left;
    this.due = watchdog.after(this.#tap().ticks);
    Promise.resolve(applied).then(
      (event) => {
        if (left !== this.#left) return;
        this.#event = event;
        this.#goOn(this.#keep(result));
      },
      (thrown: unknown) => {
        if (left === this.#left) this.#goOn(this.#fail(handlerThrew(this.#tap(), this.#hook, thrown)));
      },
    );
    return 'waits';
  }

  #keep(result: HookResult<HookName>): Step {
    this.#results = [...this.#results, { plugin: this.#tap().plugin, result }];
    return this.#ended === undefined ? 'next' : 'ended';
  }

  #fail(error: PithError): Step {
    const tap = this.#tap();
    const { plugin } = tap;
    const { definition } = this.host;
    const onError = tap.onError ?? definition.onError;
    this.#errors = [...this.#errors, { plugin, onError, error }];
    this.host.report(error);
    const result = onError === 'skip' ? undefined : definition.failure?.[onError]?.(error.message);
    if (result === undefined) return 'next';
    this.#ended = { plugin, result, error };
    return 'ended';
  }

  get #hook(): string {
    return this.host.definition.name;
  }

  #tap(): Tap {
    return this.taps[this.#at] as Tap;
  }

  #dispatched(): Dispatched<HookName> {
    return { event: this.#event, results: this.#results, ended: this.#ended, errors: this.#errors };
  }
}

function roleOf(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null) return undefined;
  const { role } = event as { readonly role?: unknown };
  return typeof role === 'string' ? role : undefined;
}
