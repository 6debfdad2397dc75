/** The page of a session that runs: takes what the server sends, and says how things stand. */
import { grownReport } from '../growth';
import type { LiveEvents, Report, ReportEvent } from '../report';
import { h, setAttribute, setText } from './dom';
import { eventInWords } from './occupancy-series';
import { counted, figure, shown } from './figures';

type Connection = 'connecting' | 'live' | 'lost' | 'closed';

const STATES: Readonly<Record<Connection, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'Connection lost; trying again …',
  closed: 'The session was closed',
};

export interface LiveStatus {
  readonly element: HTMLElement;
  show(connection: Connection, activity: string): void;
  /** Tells those who hear the page; at their next pause. */
  say(text: string): void;
}

/** Where a live page says how things stand. */
export function liveStatus(): LiveStatus {
  const state = h('span', { class: 'state' });
  const activity = h('span', { class: 'activity' });
  const said = h('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  const element = h('div', { class: 'live' }, h('i', { 'aria-hidden': 'true' }), state, activity, said);
  return {
    element,
    show(connection, text) {
      setAttribute(element, 'data-state', connection);
      setText(state, STATES[connection]);
      setText(activity, connection === 'live' ? text : '');
    },
    say: (text) => setText(said, text),
  };
}

/** Pieces of news that are said together; older ones are left out. */
const MOST_NEWS = 3;

/** Follows a session, from the report that the page came with. Draws once per frame at most. */
export function follow(url: string, first: Report, status: LiveStatus, draw: (report: Report) => void): void {
  let report = first;
  let connection: Connection = 'connecting';
  let activity = '';
  let isDue = false;
  /** What is to be said with the next drawing; one word must not take the place of another that nobody heard. */
  let news: readonly string[] = [];
  const say = (text: string): void => void (news = [...news, text].slice(-MOST_NEWS));
  const source = new EventSource(url);
  const on = <K extends keyof LiveEvents>(name: K, take: (data: LiveEvents[K]) => void): void =>
    source.addEventListener(name, (event: MessageEvent<string>) => {
      take(JSON.parse(event.data) as LiveEvents[K]);
      soon();
    });
  on('report', (whole) => {
    const said = newsOf(report, whole);
    report = whole;
    if (said !== '') say(said);
  });
  on('grown', (growth) => {
    const before = report;
    report = grownReport(report, growth);
    if (report.turns.length > before.turns.length)
      say(`Turn ${figure(report.turns.length)} began. ${counted(report.tokens.total, 'token')}.`);
  });
  on('activity', ({ text }) => {
    if (text === '' && activity !== '') say(`The agent rests. ${counted(report.tokens.total, 'token')}.`);
    activity = shown(text);
  });
  on('closed', () => {
    source.close();
    connect('closed');
  });
  source.addEventListener('open', () => connect('live'));
  source.addEventListener('error', () => connect('lost'));
  status.show(connection, activity);

  function connect(next: Connection): void {
    if (connection === 'closed') return;
    if (next !== 'live' || connection === 'lost') say(STATES[next]);
    connection = next;
    soon();
  }

  function soon(): void {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      status.show(connection, activity);
      if (news.length > 0) status.say(news.join(' '));
      news = [];
      draw(report);
    });
  }
}

/** What a new report tells that the last one did not. */
function newsOf(before: Report, { events }: Report): string {
  return events
    .slice(before.events.length)
    .map((event: ReportEvent) => `${eventInWords(event)}.`)
    .join(' ');
}
