/** The report of a session that runs, as a page that grows with it. */
import { randomBytes } from 'node:crypto';
import { messageOf } from '../errors';
import type { Kernel } from '../kernel/kernel';
import type { Session } from '../session/session';
import { followReport } from './follow';
import type { ReportParts } from './follow';
import { LiveFeed } from './live-feed';
import { openLiveServer } from './live-server';
import { reportPage } from './report-page';
import { Viewers } from './viewers';

/** Bytes of the token: 192 bits. */
const TOKEN_BYTES = 24;

/** Which session is shown, and where. */
export interface LiveReportOptions extends Pick<ReportParts, 'thresholds' | 'limit' | 'autoReadBudget'> {
  readonly kernel: Pick<Kernel, 'bus' | 'get' | 'log'>;
  readonly session: Session;
  /** The port on 127.0.0.1; a free one by default. */
  readonly port?: number | undefined;
}

/** A report that is served. */
export interface LiveReport extends AsyncDisposable {
  /** The address of the page with its token, which is all that is needed to read the session: show it to its user, and log it nowhere. */
  readonly url: string;
  /** Tells those who watch that nothing follows, and ends. The end of the session does so by itself. */
  close(): Promise<void>;
}

/**
 * Serves the report of a session on 127.0.0.1 while it runs: a page for those with the address, which is sent what happens.
 * Nothing is computed while nobody watches, and neither the server nor who watches keeps the process alive. Rejects with
 * `PITH_REPORT_PORT` where the port cannot be used.
 */
export async function serveReport({ kernel, session, port = 0, ...parts }: LiveReportOptions): Promise<LiveReport> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  let closing: Promise<void> | undefined;
  const failed = (error: unknown): void => {
    if (closing !== undefined) return;
    kernel.log.warn(`The live report of session "${session.id}" ended: ${messageOf(error)}`);
    void close();
  };
  const viewers = new Viewers((count) => feed.watch(count > 0));
  const feed = new LiveFeed({
    bus: kernel.bus,
    session,
    follow: () => followReport(session, { kernel, ...parts }),
    tell: (event, data) => viewers.send(event, data),
    failed,
  });
  const server = await openLiveServer({
    port,
    token,
    page: () => reportPage(feed.report(), { events: `events?token=${token}` }),
    hasRoom: () => !viewers.isFull,
    watch(viewer) {
      const report = feed.report();
      viewers.add(viewer);
      viewers.send('report', report, viewer);
      viewers.send('activity', feed.activity, viewer);
    },
    failed,
  });
  const stopHearing = kernel.bus.on('hook:session_end', (event) => {
    if (event.session.id === session.id) void close();
  });
  return { url: `http://127.0.0.1:${String(server.port)}/?token=${token}`, close, [Symbol.asyncDispose]: close };

  function close(): Promise<void> {
    if (closing !== undefined) return closing;
    closing = server.close();
    stopHearing();
    feed.flush();
    viewers.send('closed', {});
    viewers.end();
    return closing;
  }
}
