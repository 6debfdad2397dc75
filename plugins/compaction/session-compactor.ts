/** The compactions of one session: one at a time, later triggers join (S9.10); what is under way ends with the session. */
import { createSessionToken } from '../../core/index';
import type { Session } from '../../core/index';
import { CompactionRun } from './compaction-run';
import type { RunOptions } from './compaction-run';
import type { CompactorParts } from './parts';
import { Rest } from './rest';
import type { Because } from './rest';

export class SessionCompactor implements AsyncDisposable {
  readonly #parts: CompactorParts;
  readonly #session: Session;
  readonly #rest: Rest;
  #running: CompactionRun | undefined;

  constructor(parts: CompactorParts, session: Session) {
    this.#parts = parts;
    this.#session = session;
    this.#rest = new Rest((item) => parts.tokenizer.countItems([item]));
  }

  /** The compaction that is under way. */
  get running(): CompactionRun | undefined {
    return this.#running;
  }

  /** Begins a compaction, or joins the one that is under way; `isUrged` has its result applied also inside a turn. */
  begin(options: RunOptions, isUrged: boolean): CompactionRun {
    if (this.#running !== undefined) {
      if (isUrged) this.#running.urge();
      return this.#running;
    }
    const run = new CompactionRun(this.#parts, this.#session, options, isUrged);
    this.#running = run;
    void run.end.then(() => (this.#running = undefined));
    return run;
  }

  /** Why the automatic check rests, if it does; `window` is the input window in tokens. */
  rest(window: number): Because | undefined {
    return this.#rest.now(this.#session, window);
  }

  /** Cancels what is under way and waits until its end is told. */
  async cancel(reason: string): Promise<void> {
    this.#running?.cancel(reason);
    await this.#running?.end;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cancel('The session is being closed.');
  }
}

/** The compactor of a session. */
export const SESSION_COMPACTOR = createSessionToken<SessionCompactor>('pith/session-compactor');
