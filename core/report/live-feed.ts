/** What a live report tells, and when: what the log has grown by, once for many events, while somebody watches. */
import type { Bus } from '../bus/bus';
import type { Session } from '../session/session';
import { Activity } from './activity';
import type { FollowedReport } from './follow';
import type { LiveEvents, Report } from './report';

/** Milliseconds from one telling to the next; what happens meanwhile is told together. */
const PACE_MS = 50;

/** Events behind which the log has grown. */
const GROWN = new Set([
  'turn.started',
  'turn.ended',
  'request.started',
  'request.ended',
  'tool.ended',
  'prune.fired',
  'compaction.started',
  'compaction.done',
  'compaction.failed',
]);

export interface LiveFeedOptions {
  readonly bus: Pick<Bus, 'onAny'>;
  readonly session: Session;
  /** Begins to follow the session; called once, when the report is first asked for. */
  follow(): FollowedReport;
  /** Tells all who watch. */
  tell<K extends keyof LiveEvents>(event: K, data: LiveEvents[K]): void;
  /** Hears why there can be no more. */
  failed(error: unknown): void;
}

/** The feed of one session. Costs nothing while nobody watches. */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  #followed: FollowedReport | undefined;
  #activity = new Activity(false);
  /** What was told last of what the agent is at. */
  #told = '';
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #stops: readonly (() => void)[] = [];

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  /** What it is now. Those who watch are told first, so that what they are told later goes on from here for all. */
  report(): Report {
    if (this.#followed === undefined) this.#followed = this.#options.follow();
    else this.#tellGrowth(this.#followed);
    return this.#followed.report();
  }

  /** What the agent is at. */
  get activity(): LiveEvents['activity'] {
    return { text: this.#activity.text };
  }

  /** Listens, or stops to. */
  watch(isWatched: boolean): void {
    if (isWatched === this.#isWatched) return;
    if (isWatched) {
      const { bus, session } = this.#options;
      this.#activity = new Activity(session.turnOpen);
      this.#stops = [
        bus.onAny((name, payload) => this.#hear(name, payload)),
        // Of an undone compaction no event tells.
        session.observe(({ t }) => t === 'undo' && this.#soon()),
      ];
    } else {
      for (const stop of this.#stops) stop();
      clearTimeout(this.#timer);
      this.#stops = [];
      this.#timer = undefined;
    }
  }

  /** Tells what has not been told yet. */
  flush(): void {
    if (!this.#isWatched) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#last = performance.now();
    try {
      if (this.#followed !== undefined) this.#tellGrowth(this.#followed);
      const { activity } = this;
      if (activity.text !== this.#told) this.#options.tell('activity', activity);
      this.#told = activity.text;
    } catch (error) {
      this.#options.failed(error);
    }
  }

  get #isWatched(): boolean {
    return this.#stops.length > 0;
  }

  #hear(name: string, payload: unknown): void {
    const { id } = this.#options.session;
    if (typeof payload !== 'object' || payload === null) return;
    const { session, sessionId }: Heard = payload;
    if (session !== id && sessionId !== id) return;
    this.#activity.hear(name, payload);
    if (GROWN.has(name) || this.#activity.text !== this.#told) this.#soon();
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.flush(), Math.max(0, this.#last + PACE_MS - performance.now())).unref();
  }

  #tellGrowth(followed: FollowedReport): void {
    const change = followed.update();
    if (change === undefined) return;
    if (change.event === 'report') this.#options.tell('report', change.data);
    else this.#options.tell('grown', change.data);
  }
}

/** How events name the session they are of. */
interface Heard {
  readonly session?: unknown;
  readonly sessionId?: unknown;
}
