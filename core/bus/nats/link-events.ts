/** Tells listeners and the log what becomes of a connection; none of them can harm it. */
import { messageOf } from '../../errors';
import type { LinkEvent, LinkLog } from './link-contract';

type Facts = Readonly<Record<string, unknown>>;
type Line = readonly [level: Parameters<LinkLog>[0], message: string];

const LINES: Readonly<Record<LinkEvent['type'], Line>> = {
  connected: ['info', 'connected to the NATS server'],
  reconnected: ['info', 'connected to the NATS server again'],
  disconnected: ['warn', 'lost the connection to the NATS server'],
  closed: ['info', 'closed the connection to NATS'],
  'lame-duck': ['warn', 'the NATS server will end soon'],
  denied: ['error', 'the NATS server denied'],
  error: ['error', ''],
};

export class LinkEvents {
  readonly #listeners = new Set<{ readonly hear: (event: LinkEvent) => void }>();

  constructor(
    private readonly log: LinkLog | undefined,
    private readonly link: string,
  ) {}

  on(hear: (event: LinkEvent) => void): () => void {
    const listener = { hear };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Facts are for the log alone. */
  emit(event: LinkEvent, facts: Facts = {}): void {
    const [level, message] = LINES[event.type];
    if (event.type === 'error') {
      const { code, message: why, details } = event.error;
      this.write(level, why, { code, ...details });
    } else {
      const { type, ...told } = event;
      this.write(level, type === 'denied' ? `${message} to ${event.operation}` : message, { ...told, ...facts });
    }
    for (const { hear } of [...this.#listeners]) {
      try {
        hear(event);
      } catch (thrown) {
        this.write('error', `a listener of the connection failed: ${messageOf(thrown)}`, { event: event.type });
      }
    }
  }

  write(level: Line[0], message: string, facts: Facts): void {
    try {
      this.log?.(level, message, { link: this.link, ...facts });
    } catch {
      // a log that fails cannot be told of, and is no reason to lose a connection
    }
  }
}
