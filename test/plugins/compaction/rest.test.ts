import { createSession, restoreSession } from '../../../core';
import type { Session } from '../../../core';
import { GROWTH, noGain, Rest, REST_NAMESPACE } from '../../../plugins/compaction/rest';
import { prose, tokenizer, user } from '../../support/context';

const WINDOW = 100_000;
const countItem = (item: Parameters<typeof tokenizer.countItem>[0]): number => tokenizer.countItem(item).text;
const opened = (): Session => createSession({ id: 's', now: () => 0 });
const gainedNothing = (session: Session): void =>
  session.record({ t: 'state', namespace: REST_NAMESPACE, value: noGain('c1', 'inflated') });
const compacted = (session: Session): void =>
  session.record({ t: 'checkpoint', compaction: 'c', blocks: [], cut: 0, edits: [], before: 9, after: 1 });

/** Tokens that were added when the rest is over, in steps of one message. */
function restsFor(session: Session, rest: Rest, step: number): number {
  let added = 0;
  while (rest.now(session, WINDOW) !== undefined) {
    const [item] = session.append([user(prose(step))]);
    if (item !== undefined) added += countItem(item);
  }
  return added;
}

describe('the rest of the automatic check', () => {
  test('there is none in a session that was never compacted, whatever else its log says; nothing is counted there', () => {
    const session = opened();
    session.append([user(prose(5000))]);
    session.record({ t: 'state', namespace: 'todo', value: noGain('c1', 'inflated') });
    const counted: unknown[] = [];
    const rest = new Rest((item) => counted.push(item));
    expect(rest.now(session, WINDOW)).toBeUndefined();
    expect(counted).toEqual([]);
  });

  test('after a pass without gain it lasts until 4096 tokens have come (S9.10)', () => {
    const session = opened();
    const rest = new Rest(countItem);
    gainedNothing(session);
    expect(rest.now(session, WINDOW)).toBe('no-gain');
    const added = restsFor(session, rest, 100);
    expect(GROWTH).toBe(4096);
    expect(added).toBeGreaterThanOrEqual(GROWTH);
    expect(added).toBeLessThan(GROWTH + 110);
  });

  test('not one token less and not one more', () => {
    for (const [tokens, because] of [
      [GROWTH - 1, 'no-gain'],
      [GROWTH, undefined],
    ] as const) {
      const session = opened();
      gainedNothing(session);
      session.append([user('a')]);
      expect(new Rest(() => tokens).now(session, WINDOW)).toBe(because);
    }
  });

  test('after an undo it lasts until a tenth of the window was added (S5.5)', () => {
    const session = opened();
    const rest = new Rest(countItem);
    compacted(session);
    expect(rest.now(session, WINDOW)).toBeUndefined();
    session.undoCompaction();
    expect(rest.now(session, WINDOW)).toBe('undo');
    const added = restsFor(session, rest, 1000);
    expect(added).toBeGreaterThanOrEqual(WINDOW / 10);
    expect(added).toBeLessThan(WINDOW / 10 + 1100);
  });

  test('a compaction that is done ends it; another pass without gain begins it anew', () => {
    const session = opened();
    const rest = new Rest(countItem);
    gainedNothing(session);
    session.append([user(prose(3000))]);
    gainedNothing(session);
    session.append([user(prose(3000))]);
    expect(rest.now(session, WINDOW)).toBe('no-gain');
    compacted(session);
    expect(rest.now(session, WINDOW)).toBeUndefined();
  });

  test('a restored session rests as the one that was closed, whenever it is asked', () => {
    const session = opened();
    const asked = new Rest(countItem);
    const steps = [
      () => session.append([user(prose(1500))]),
      () => gainedNothing(session),
      () => session.append([user(prose(1500))]),
      () => compacted(session),
      () => session.undoCompaction(),
      () => session.append([user(prose(4000))]),
      () => gainedNothing(session),
      () => session.append([user(prose(4200))]),
    ];
    for (const step of steps) {
      step();
      const restored = restoreSession(JSON.parse(JSON.stringify([...session.records()])) as [], {});
      expect(new Rest(countItem).now(restored, WINDOW)).toBe(asked.now(session, WINDOW));
    }
  });
});
