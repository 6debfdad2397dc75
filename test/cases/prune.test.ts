/** Faults of pruning that users of similar tools reported, by the ids of `cases.json`. */
import fc from 'fast-check';
import { CONTEXT, createContext, restoreSession } from '../../core';
import type { ContextView, Item, NewItem, Session } from '../../core';
import { writeOpenAiChat } from '../../core/formats/write';
import { PRUNE } from '../../plugins/prune/token';
import { histories } from '../arbitraries/history';
import { assistant, call, prose, result, tokenizer, user } from '../support/context';
import { countOf, refusals } from '../support/counter';
import { start } from '../support/kernel';
import type { Host } from '../support/kernel';

const view = (session: Session): ContextView => session.get(CONTEXT).view();
const prune = ({ kernel }: Host, session: Session): boolean => kernel.get(PRUNE).prune(session).edits.length > 0;
const pruning = (protectedTokens: number, minSavings: number, more = {}): Promise<Host> =>
  start({ config: { prune: { protectedTokens, minSavings, ...more } } });

/** Text of a result as it is sent. */
function sentText(item: Item | undefined): string {
  if (item?.kind !== 'tool_result') return '';
  return item.content?.map((part) => (part.type === 'text' ? part.text : '')).join('\n') ?? item.summary;
}

/** Everything of the newest reply and behind it: what the next request answers. */
function newestReply(context: ContextView): readonly Item[] {
  const groups = context.groups();
  const at = groups.findLast((start) => context.at(start).kind !== 'message' || !isUser(context.at(start)));
  return at === undefined ? [] : [...context.items(at)];
}

const isUser = (item: Item): boolean => item.kind === 'message' && item.role === 'user';

describe('C41: results that the current run has just fetched', () => {
  const older = Array.from({ length: 30 }, (_, at) => [
    user(`task ${String(at)}`),
    call(`o${String(at)}`),
    result(`o${String(at)}`, prose(2000)),
  ]).flat();

  test('C41: the oldest go first, and a fresh result larger than all that is protected is in the next request', async () => {
    await using host = await pruning(10_000, 4096);
    const session = host.open([
      ...older,
      user('look here'),
      call('fresh'),
      result('fresh', `${prose(6000)} SENTINEL ${prose(6000)}`),
    ]);
    expect(prune(host, session)).toBe(true);
    const sent = JSON.stringify(writeOpenAiChat(view(session)));
    expect(sent).toContain('SENTINEL');
    const texts = [...view(session).items()].filter(({ kind }) => kind === 'tool_result').map(sentText);
    const whole = texts.map((text) => !text.startsWith('[pruned: '));
    expect(whole.lastIndexOf(false)).toBeLessThan(whole.indexOf(true));
    expect(whole.at(-1)).toBe(true);
  });

  test('C41: whatever the history and the limits, nothing of the newest reply changes, nor what is protected', async () => {
    await using host = await pruning(500, 0);
    fc.assert(
      fc.property(histories(20), (history) => {
        const session = host.open(history);
        const before = view(session);
        const protectedFrom = [...before.items()].findLastIndex((_, at) => before.tokens(at) >= 500);
        prune(host, session);
        const after = new Map([...view(session).items()].map((item) => [item.id, item]));
        for (const item of newestReply(before)) expect(after.get(item.id)).toEqual(item);
        for (const item of before.items(protectedFrom + 1)) expect(after.get(item.id)).toEqual(item);
      }),
    );
  });
});

describe('X26: pruning again and again', () => {
  test('X26: a reply of thousands of results is one step', async () => {
    await using host = await pruning(500, 4096);
    const ids = Array.from({ length: 5000 }, (_, at) => `p${String(at)}`);
    const session = host.open([
      user('read them all'),
      ...ids.map((id) => call(id)),
      ...ids.map((id) => result(id, prose(150))),
      assistant('read'),
      user('go on'),
      call('last'),
      result('last', prose(600)),
    ]);
    expect(host.kernel.get(PRUNE).prune(session).edits).toHaveLength(5000);
    expect(prune(host, session)).toBe(false);
  });

  test('X26: what was sent stays byte for byte but at few, large steps, and the pruned form is what is restored', async () => {
    await using host = await pruning(4000, 15_000);
    const session = host.open([], { t: 'settings', system: 'You are terse.' });
    const steps: number[] = [];
    let sent: readonly string[] = [];
    for (let turn = 0; turn < 30; turn++) {
      session.append([
        user(`task ${String(turn)}`),
        call(`c${String(turn)}`),
        result(`c${String(turn)}`, `${String(turn)} ${prose(1000)}`),
        assistant('done'),
      ]);
      const fired = prune(host, session);
      if (fired) steps.push(turn);
      const request = writeOpenAiChat(view(session)).map((message) => JSON.stringify(message));
      if (!fired) expect(request.slice(0, sent.length)).toEqual(sent);
      sent = request;
      expect(prune(host, session)).toBe(false);
    }
    expect(steps).toHaveLength(1);
    const restored = restoreSession(JSON.parse(JSON.stringify([...session.records()])) as [], {});
    expect(
      writeOpenAiChat(createContext(restored, { tokenizer }).view()).map((message) => JSON.stringify(message)),
    ).toEqual(sent);
  });

  test('X26: every step saves what it must at least, so that there cannot be many', async () => {
    await using host = await pruning(300, 600);
    fc.assert(
      fc.property(fc.array(histories(6), { maxLength: 8 }), (parts) => {
        const session = host.open([]);
        for (const part of parts) {
          session.append(part);
          const before = { tokens: view(session).tokens(0), digest: view(session).digest };
          if (prune(host, session)) expect(view(session).tokens(0)).toBeLessThanOrEqual(before.tokens - 599);
          else expect(view(session).digest).toBe(before.digest);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('X27: one placeholder for all', () => {
  const failure: NewItem = {
    kind: 'tool_result',
    callId: 'bad',
    summary: 'exit 1: cannot find module csv',
    content: [{ type: 'text', text: `Error: cannot find module csv\n${prose(900)}` }],
    isError: true,
  };
  const history = [
    user('go'),
    call('good', 'search'),
    result('good', prose(900), '12 matches'),
    call('bad', 'Bash'),
    failure,
    call('tiny', 'Bash'),
    result('tiny', 'ok', 'a summary that is longer than the output itself'),
    call('last'),
    result('last', 'fine'),
  ];

  test('X27: the marker names tool and size, flag and cause of a failure stay, and what is tiny stays as it is', async () => {
    await using host = await pruning(0, 0);
    const session = host.open(history);
    prune(host, session);
    const [good, bad, tiny] = [...view(session).items()].filter(({ kind }) => kind === 'tool_result');
    expect(sentText(good)).toMatch(/^\[pruned: search, \d+ tokens\] 12 matches$/);
    expect(sentText(bad)).toMatch(/^\[pruned: Bash, \d+ tokens, error\] exit 1: cannot find module csv$/);
    expect(bad).toMatchObject({ isError: true, callId: 'bad' });
    expect(good).not.toHaveProperty('isError');
    expect(sentText(tiny)).toBe('ok');
    const digest = view(session).digest;
    expect(prune(host, session)).toBe(false);
    expect(view(session).digest).toBe(digest);
    expect(refusals(view(session))).toEqual([]);
  });

  test('X27: for any history no result grows or loses its flag or its call, and a second pass finds nothing', async () => {
    await using host = await pruning(0, 0, { protectedTools: ['search'] });
    fc.assert(
      fc.property(histories(20), (history) => {
        const session = host.open(history);
        const before = [...view(session).items()];
        prune(host, session);
        const after = [...view(session).items()];
        expect(after).toHaveLength(before.length);
        after.forEach((item, at) => {
          const { content: _, ...old } = { content: undefined, ...before[at] } as { readonly content: unknown };
          expect(item).toMatchObject(old);
          if (item.kind !== 'tool_result' || JSON.stringify(item) === JSON.stringify(before[at])) return;
          expect(countOf(sentText(item))).toBeLessThan(countOf(sentText(before[at])) + 1600 * images(before[at]));
        });
        expect(prune(host, session)).toBe(false);
      }),
    );
  });
});

function images(item: Item | undefined): number {
  return item?.kind === 'tool_result' ? (item.content ?? []).filter((part) => part.type === 'image').length : 0;
}
