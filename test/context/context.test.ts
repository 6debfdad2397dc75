import fc from 'fast-check';
import { CONTEXT, createContext, createSession } from '../../core';
import type { Checkpoint, NewItem, RecordDraft, Session, SessionContext, Usage } from '../../core';
import { histories } from '../arbitraries/history';
import { assistant, call, prose, result, tokenizer, user } from '../support/context';
import { start } from '../support/kernel';

function contextOf(session: Session): SessionContext {
  return createContext(session, { tokenizer });
}

function begin(
  items: readonly NewItem[] = [],
  ...drafts: readonly RecordDraft[]
): { readonly session: Session; readonly context: SessionContext } {
  const session = createSession({ id: 's', now: () => 0 });
  session.record(...drafts);
  session.append(items);
  return { session, context: contextOf(session) };
}

const usage = (inputTokens: number, more: Partial<Usage> = {}): RecordDraft => ({
  t: 'usage',
  usage: { inputTokens, ...more },
});

const checkpoint = (cut: number): Checkpoint => ({
  compaction: 'c',
  blocks: [{ kind: 'summary', text: prose(200) }],
  cut,
  edits: [],
  before: 0,
  after: 0,
});

describe('the context of a session', () => {
  test('is a service of its session, made once', async () => {
    await using host = await start();
    const session = host.open([user('hi')]);
    expect(session.get(CONTEXT)).toBe(session.get(CONTEXT));
    expect(session.get(CONTEXT).view().length).toBe(1);
  });

  test('counts all that is sent where nothing was measured: system, tools, arguments, reasoning', () => {
    const parts: readonly (readonly [string, readonly NewItem[], RecordDraft])[] = [
      ['nothing', [], { t: 'settings' }],
      ['a system prompt', [], { t: 'settings', system: prose(1000) }],
      ['tool schemas', [], { t: 'settings', tools: [{ name: 'x', description: prose(1000), parameters: {} }] }],
      [
        'arguments',
        [{ ...call('a', 'write'), arguments: { text: prose(1000) } } as NewItem, result('a', 'ok')],
        { t: 'settings' },
      ],
      ['reasoning', [{ kind: 'reasoning', text: prose(1000) }, assistant('so')], { t: 'settings' }],
    ];
    const [least, ...others] = parts.map(([, items, settings]) =>
      begin([user('go'), ...items], settings)
        .context.view()
        .occupancy(),
    );
    for (const estimate of others) {
      expect(estimate.source).toBe('counted');
      expect(estimate.tokens - (least?.tokens ?? 0)).toBeGreaterThan(950);
    }
  });

  test('takes what the provider measured as the truth for the entries before the newest reply', () => {
    const { session, context } = begin([user('go'), call('a')]);
    session.record(usage(5000));
    expect(context.view().prefix(1)).toEqual({ tokens: 5000, margin: 0, source: 'measured' });
    session.append([result('a', prose(400))]);
    const all = context.view().occupancy();
    expect(all.source).toBe('extrapolated');
    expect(all.tokens).toBeGreaterThan(5400);
    expect(all.margin).toBe(1024);
  });

  test('takes a place that a measurement names', () => {
    const { session, context } = begin([user('go'), call('a'), result('a', 'x'), assistant('done')]);
    session.record({ t: 'usage', usage: { inputTokens: 3000 }, on: { entries: 3 } });
    expect(context.view().prefix(3)).toEqual({ tokens: 3000, margin: 0, source: 'measured' });
  });

  test('applies no measurement of a projection that held for one request only', () => {
    const { session, context } = begin([user('go'), assistant('done')]);
    session.record({ t: 'usage', usage: { inputTokens: 3000 }, on: { entries: 1, projection: 'x' } });
    expect(context.view().occupancy().source).toBe('counted');
  });

  test('reports figures that cannot be true and does not apply them', () => {
    const { session, context } = begin([user('go'), assistant('done')]);
    session.record(usage(Number.NaN), usage(-5), usage(900_000_000), usage('many' as never));
    expect(context.view().occupancy().source).toBe('counted');
    expect(context.unused().map(({ seq }) => seq)).toEqual([3, 4, 5, 6]);
    for (const { message } of context.unused()) expect(message).not.toBe('');
  });

  test('after a checkpoint knows the size by the kept fixed part, and never applies what was measured before', () => {
    const { session, context } = begin([user('go'), call('a')]);
    session.record(usage(20_000));
    session.append([result('a', prose(3000)), call('b')]);
    session.record(usage(23_100));
    session.append([result('b', prose(100))]);
    session.record({ t: 'checkpoint', ...checkpoint(3) });
    const { tokens, margin, source } = context.view().occupancy();
    expect(source).toBe('offset');
    expect(tokens).toBeGreaterThan(20_000);
    expect(tokens).toBeLessThan(20_700);
    expect(margin / tokens).toBeCloseTo(0.08, 2);
  });

  test('foresees a checkpoint: the view and its size are what the recorded one gives', () => {
    const { session, context } = begin([user('go'), call('a')]);
    session.record(usage(20_000));
    session.append([result('a', prose(3000)), call('b'), result('b', prose(100))]);
    const foreseen = context.foresee(checkpoint(3));
    const before = context.view().digest;
    expect(context.view().digest).toBe(before);
    session.record({ t: 'checkpoint', ...checkpoint(3) });
    expect(foreseen.digest).toBe(context.view().digest);
    expect(foreseen.occupancy()).toEqual(context.view().occupancy());
  });

  test('keeps edits for all later requests, and refuses those that break the context or have no place', () => {
    const { session, context } = begin([user('go'), call('a'), result('a', prose(500)), assistant('ok')]);
    context.keep([{ edit: 'content', item: 'i2', text: null }], 'prune', 'old');
    expect(context.view().at(2)).not.toHaveProperty('content');
    const position = session.position;
    const code = (edit: Parameters<SessionContext['keep']>[0][number]): void => {
      expect(() => context.keep([edit], 'x')).toThrow(expect.objectContaining({ code: 'PITH_EDIT_INVALID' }) as Error);
    };
    code({ edit: 'drop', items: ['i1'] });
    code({ edit: 'insert', before: 'end', item: user('later') });
    context.keep([], 'nobody');
    expect(session.position).toBe(position);
  });

  test('says how many entries the model has seen: all before its newest reply, or as measured', () => {
    const { session, context } = begin([user('go'), call('a'), result('a', 'x')]);
    expect(context.seen()).toBe(1);
    session.record({ t: 'usage', usage: { inputTokens: 900 }, on: { entries: 3 } });
    expect(context.seen()).toBe(3);
  });

  test('names the model and the turns that were opened', () => {
    const { context } = begin([user('one'), assistant('ok'), user('two')], { t: 'settings', model: 'gpt-5' });
    expect(context.model()).toBe('gpt-5');
    expect(context.openings()).toEqual([0, 2]);
  });
});

describe('for any history', () => {
  test('a context that grew with its log is the one that a fresh reader finds', () => {
    fc.assert(
      fc.property(histories(14), fc.array(fc.nat(50_000), { maxLength: 6 }), (history, figures) => {
        const { session, context } = begin();
        for (const [index, item] of history.entries()) {
          session.append([item]);
          const figure = figures[index];
          if (figure !== undefined) session.record(usage(figure));
          if (index % 3 === 0) context.view();
          if (index === 8) session.record({ t: 'checkpoint', ...checkpoint(4) });
        }
        const fresh = contextOf(session);
        expect(context.view().digest).toBe(fresh.view().digest);
        const [one, other] = [context.view().occupancy(), fresh.view().occupancy()];
        expect(one.source).toBe(other.source);
        expect(one.tokens).toBeCloseTo(other.tokens, -1);
      }),
    );
  });

  test('a prefix never has more tokens than a longer one', () => {
    fc.assert(
      fc.property(histories(14), (history) => {
        const view = begin(history).context.view();
        let before = 0;
        for (let length = 0; length <= view.length; length++) {
          const { tokens } = view.prefix(length);
          expect(tokens).toBeGreaterThanOrEqual(before);
          before = tokens;
        }
      }),
    );
  });
});

describe('pins (S5.1)', () => {
  test('stand as system content, and above a fifth of the input window are an error', () => {
    const { context } = begin([user('RULES')], { t: 'settings', model: 'gpt-4' });
    const { contextWindow, maxOutput } = context.limits();
    context.pin('i0');
    context.pin({ text: 'and this' });
    expect(context.view().system.map((part) => part.text)).toEqual(['RULES', 'and this']);
    const most = Math.floor((contextWindow - maxOutput) / 5);
    const tooLarge = expect.objectContaining({ code: 'PITH_PINS_TOO_LARGE' }) as Error;
    expect(() => context.pin({ text: prose(most + 10) })).toThrow(tooLarge);
    expect(() => context.pin({ text: prose(most - 1) })).toThrow(tooLarge);
    context.pin({ text: prose(most - 100) });
    expect(() => context.pin('i99')).toThrow(expect.objectContaining({ code: 'PITH_SESSION_POSITION' }) as Error);
  });
});
