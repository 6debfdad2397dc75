/** The jobs of a worker process (S11): which run, and which have ended, so that a late or doubled offer does nothing again. */
import type { Job } from '../bus';

/** Ended jobs that are remembered. */
const REMEMBERED = 256;

interface Running<W> {
  readonly attempt: number;
  readonly work: W;
}

/** `W` is what runs a job here. Of one job there is at most one attempt running, the newest. */
export class JobRegistry<W> {
  readonly #running = new Map<string, Running<W>>();
  /** The newest ended attempt of each job, the latest to end last. */
  readonly #ended = new Map<string, number>();

  get size(): number {
    return this.#running.size;
  }

  /** Whether an offer is news: a later attempt than all that run or are remembered. */
  admits({ id, attempt }: Job): boolean {
    const known = this.#running.get(id)?.attempt ?? this.#ended.get(id);
    return known === undefined || attempt > known;
  }

  /** Enters an admitted job; returns the work on an earlier attempt at it, which is to be ended. */
  begin({ id, attempt }: Job, work: W): W | undefined {
    const earlier = this.#running.get(id);
    this.#running.set(id, { attempt, work });
    return earlier?.work;
  }

  /** The work on this very attempt, if it runs. */
  find({ id, attempt }: Job): W | undefined {
    const running = this.#running.get(id);
    return running?.attempt === attempt ? running.work : undefined;
  }

  /** Moves a job to those that are remembered; an attempt that gave way to a later one has gone already. */
  end({ id, attempt }: Job): void {
    if (this.#running.get(id)?.attempt !== attempt) return;
    this.#running.delete(id);
    this.#ended.delete(id);
    this.#ended.set(id, attempt);
    if (this.#ended.size > REMEMBERED) this.#ended.delete(this.#ended.keys().next().value as string);
  }

  /** All work that runs. */
  all(): readonly W[] {
    return [...this.#running.values()].map(({ work }) => work);
  }
}
