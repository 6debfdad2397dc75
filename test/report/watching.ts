/** A viewer of a live report: takes its server-sent events as a browser does, and can be slow. */
import { get, request } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { grownReport } from '../../core/report/growth';
import type { LiveEvents, Report } from '../../core/report/report';

/** An event as it was sent. */
export type Seen = {
  readonly [K in keyof LiveEvents]: { readonly event: K; readonly data: LiveEvents[K] };
}[keyof LiveEvents];

export interface Watching {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** All that came so far. */
  readonly seen: readonly Seen[];
  readonly isOpen: boolean;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  /** Resolves with the first event, seen or to come, that fits. */
  until(fits: (seen: Seen) => boolean): Promise<Seen>;
  /** Characters that it was sent. */
  readonly size: number;
  /** Forgets what it has seen. */
  forget(): void;
  /** Takes nothing in, until it is called off. */
  pause(): () => void;
  leave(): void;
}

/** The address of the events of a live report. */
export function eventsOf(url: string): string {
  const address = new URL(url);
  address.pathname = '/events';
  return address.href;
}

/** Begins to watch. */
export async function watch(url: string): Promise<Watching> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(eventsOf(url), { agent: false }, resolve).on('error', reject);
  });
  const seen: Seen[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  let size = 0;
  response.setEncoding('utf8').on('data', (text: string) => {
    size += text.length;
    const messages = (rest + text).split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) if (message.startsWith('event: ')) seen.push(parsed(message));
    for (const look of waiting) look();
  });
  let isOpen = true;
  const ended = new Promise<void>((resolve) => response.on('close', resolve));
  void ended.then(() => (isOpen = false));
  response.on('error', () => undefined);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    seen,
    ended,
    get isOpen() {
      return isOpen;
    },
    get size() {
      return size;
    },
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = seen.find(fits);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then(() =>
          reject(
            new Error(
              `it ended, ${String(response.statusCode)}, with ${seen.map(({ event }) => event).join(', ')} ${rest}`,
            ),
          ),
        );
      }),
    forget: () => void seen.splice(0),
    pause() {
      response.pause();
      return () => void response.resume();
    },
    leave: () => void response.destroy(),
  };
}

/** Whether something tells of so many requests. */
export function tellsOf(requests: number): (seen: Seen) => boolean {
  return ({ data }) => 'source' in data && data.source.requests === requests;
}

/** What a page shows after these events. */
export function stateOf(seen: readonly Seen[]): Report {
  const at = seen.findLastIndex(({ event }) => event === 'report');
  return seen
    .slice(at + 1)
    .reduce(
      (report, one) => (one.event === 'grown' ? grownReport(report, one.data) : report),
      seen[at]?.data as Report,
    );
}

/** An answer to any request, with headers that a browser would not let a page set. */
export function ask(
  url: string,
  options: RequestOptions = {},
): Promise<{ status: number; headers: IncomingMessage['headers']; text: string }> {
  return new Promise((resolve, reject) => {
    request(url, { agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    })
      .on('error', reject)
      .end();
  });
}

function parsed(message: string): Seen {
  const [event = '', data = ''] = message.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
  return { event, data: JSON.parse(data) as unknown } as Seen;
}
