import fc from 'fast-check';
import type { NewItem, RecordDraft, Session } from '../../core';
import { checkIntegrity } from '../../core/context/integrity';
import { Projection } from '../../core/context/projection';
import { createSession } from '../../core/session/log-session';
import { hasContent } from '../../core/session/well-formed';
import { histories, uniqueIds } from '../arbitraries/history';

const text = (said: string, role: 'user' | 'assistant' | 'system' = 'user'): NewItem => ({
  kind: 'message',
  role,
  parts: [{ type: 'text', text: said }],
});
const call = (callId: string, reply?: string): NewItem => ({
  kind: 'tool_call',
  callId,
  name: 'read_file',
  arguments: {},
  ...(reply !== undefined && { reply }),
});
const result = (callId: string, content = 'content'): NewItem => ({
  kind: 'tool_result',
  callId,
  summary: 'summary',
  content: [{ type: 'text', text: content }],
});

function sessionOf(items: readonly NewItem[], ...drafts: readonly RecordDraft[]): Session {
  const session = createSession({ id: 's', now: () => 0 });
  session.append(items);
  session.record(...drafts);
  return session;
}

function project(session: Session): Projection {
  const projection = new Projection(session);
  for (const record of session.records()) projection.apply(record);
  return projection;
}

const ids = (projection: Projection): readonly string[] => projection.entries.map((entry) => entry.id);

describe('the projection of a log', () => {
  test('is the conversation itself where nothing is wrong with it, object for object', () => {
    const session = sessionOf([text('do it'), call('a'), result('a'), text('done', 'assistant')]);
    expect(project(session).entries.map((entry, index) => entry === session.item(index))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });

  test('puts results directly behind the reply that called, in the order they came', () => {
    const session = sessionOf([text('go'), call('a', 'r'), call('b', 'r'), result('b'), text('wait'), result('a')]);
    expect(ids(project(session))).toEqual(['i0', 'i1', 'i2', 'i3', 'i5', 'i4']);
  });

  test('joins a reply whose calls arrive between results of its other calls', () => {
    const session = sessionOf([text('go'), call('a', 'r'), result('a'), call('b', 'r'), result('b')]);
    expect(ids(project(session))).toEqual(['i0', 'i1', 'i3', 'i2', 'i4']);
  });

  test('closes a call without a result by a marked one, and takes it back when the result comes', () => {
    const session = sessionOf([text('go'), call('a'), text('never mind')]);
    const projection = project(session);
    expect(projection.entries[2]).toMatchObject({
      kind: 'tool_result',
      callId: 'a',
      isError: true,
      summary: expect.stringContaining('interrupted'),
    });
    session.append([result('a')]);
    expect(ids(project(session))).toEqual(['i0', 'i1', 'i3', 'i2']);
  });

  test('leaves out orphans, second results, empty messages and lone reasoning', () => {
    const session = sessionOf([
      result('nobody'),
      text('go'),
      text('  ', 'assistant'),
      { kind: 'reasoning', text: 'hm' },
      text('next'),
      call('a'),
      result('a'),
      result('a', 'again'),
    ]);
    expect(ids(project(session))).toEqual(['i1', 'i4', 'i5', 'i6']);
  });

  test('sends leading system messages as system content and later ones as labelled notes', () => {
    const session = sessionOf([text('be kind', 'system'), text('go'), text('be brief', 'system')], {
      t: 'settings',
      system: 'prompt',
    });
    const projection = project(session);
    expect(projection.system).toEqual([
      { kind: 'prompt', text: 'prompt' },
      { kind: 'pin', text: 'be kind' },
    ]);
    expect(projection.entries[1]).toMatchObject({
      role: 'user',
      parts: [
        { type: 'text', text: '[System note]' },
        { type: 'text', text: 'be brief' },
      ],
    });
  });

  test('sends a system prompt once that also stands in the log', () => {
    const session = sessionOf([text('be kind', 'system'), text('go')], { t: 'settings', system: 'be kind' });
    expect(project(session).system).toEqual([{ kind: 'prompt', text: 'be kind' }]);
  });

  test('shows a pinned message once, as system content', () => {
    const session = sessionOf([text('RULE-77'), text('go')]);
    session.record({ t: 'pin', item: 'i0' });
    session.record({ t: 'pin', text: 'and this' });
    const projection = project(session);
    expect(ids(projection)).toEqual(['i1']);
    expect(projection.system.map((part) => part.text)).toEqual(['RULE-77', 'and this']);
  });

  test('starts from the newest checkpoint: blocks, lead, tail, and its edits', () => {
    const session = sessionOf([text('goal'), call('a'), result('a'), call('b'), result('b')]);
    session.record({
      t: 'checkpoint',
      compaction: 'c',
      blocks: [{ kind: 'summary', text: 'so far' }],
      cut: 3,
      lead: 'i0',
      edits: [{ edit: 'content', item: 'i4', text: 'cut down' }],
      before: 100,
      after: 10,
    });
    const projection = project(session);
    expect(ids(projection)).toEqual(['i0', 'i3', 'i4']);
    expect(projection.entries[2]).toMatchObject({ content: [{ type: 'text', text: 'cut down' }] });
    expect(projection.system).toMatchObject([{ kind: 'block', text: 'so far' }]);
  });

  test('is again what it was before when a checkpoint is undone', () => {
    const session = sessionOf([text('goal'), call('a'), result('a'), text('more')]);
    const before = project(session).entries;
    session.record({
      t: 'checkpoint',
      compaction: 'c',
      blocks: [{ kind: 'summary', text: 'x' }],
      cut: 3,
      edits: [],
      before: 1,
      after: 1,
    });
    const checkpoint = session.position;
    expect(ids(project(session))).toEqual(['i3']);
    session.record({ t: 'undo', checkpoint });
    expect(project(session).entries).toEqual(before);
    expect(project(session).system).toEqual([]);
  });

  test('keeps recorded edits in force, also over a checkpoint', () => {
    const session = sessionOf([text('goal'), call('a'), result('a'), text('more')]);
    session.record({ t: 'edits', by: 'prune', edits: [{ edit: 'content', item: 'i2', text: null }] });
    expect(project(session).entries[2]).not.toHaveProperty('content');
    session.record({ t: 'checkpoint', compaction: 'c', blocks: [], cut: 1, edits: [], before: 1, after: 1 });
    expect(project(session).entries[1]).not.toHaveProperty('content');
  });

  test('notes which user message opened each turn', () => {
    const session = createSession({ id: 's' });
    session.record({ t: 'turn', phase: 'start', turn: 1 });
    session.append([text('hello', 'assistant'), call('a'), result('a'), text(' ')]);
    session.append([text('first'), text('reminder'), text('ok', 'assistant')]);
    session.record({ t: 'turn', phase: 'end', turn: 1 });
    session.append([text('aside')]);
    session.record({ t: 'turn', phase: 'start', turn: 2 });
    session.append([text('second')]);
    expect(project(session).openings).toEqual([4, 8]);
  });

  test('takes every message of the user that says something for an opening where no turns are recorded', () => {
    const session = sessionOf([
      text('be kind', 'system'),
      text('a'),
      text(''),
      text('b', 'assistant'),
      call('x'),
      text('c'),
    ]);
    expect(project(session).openings).toEqual([1, 5]);
  });
});

describe('for any history', () => {
  test('the projection is whole (S5.6)', () => {
    fc.assert(
      fc.property(histories(), (history) => {
        expect(checkIntegrity(project(sessionOf(history)).entries)).toEqual([]);
      }),
    );
  });

  test('folding as records come gives the same as folding all at once, and hands out lists that never change', () => {
    fc.assert(
      fc.property(histories(), fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (history, shares) => {
        const session = createSession({ id: 's', now: () => 0 });
        const growing = new Projection(session);
        const handedOut: { readonly list: readonly unknown[]; readonly copy: readonly unknown[] }[] = [];
        let seen = 0;
        for (const [index, item] of history.entries()) {
          session.append([item]);
          for (const record of session.records(seen)) growing.apply(record);
          seen = session.position + 1;
          expect(growing.replyStart).toBe(project(session).replyStart);
          if (shares[index % shares.length] === false) continue;
          const { entries, starts } = growing.share();
          for (const list of [entries, starts]) handedOut.push({ list, copy: list.slice() });
        }
        const { entries, starts } = project(session).share();
        expect([growing.share().entries, growing.share().starts]).toEqual([entries, starts]);
        for (const { list, copy } of handedOut) expect(copy.every((one, index) => list[index] === one)).toBe(true);
      }),
    );
  });

  test('nothing but orphans, second results and empty items is left out, and nothing but closed calls is added', () => {
    fc.assert(
      fc.property(histories(24, uniqueIds), (history) => {
        const session = sessionOf(history);
        const expected = new Set<string>();
        const waiting = new Map<string, string>();
        let spoken = false;
        for (const item of session.items()) {
          spoken ||= item.kind !== 'message' || item.role !== 'system';
          if (!spoken || item.kind === 'reasoning' || !hasContent(item)) continue;
          if (item.kind === 'tool_call') waiting.set(item.callId, `${item.id}!`);
          if (item.kind === 'tool_result' && !waiting.delete(item.callId)) continue;
          expected.add(item.id);
        }
        for (const closed of waiting.values()) expected.add(closed);
        const sent = project(session).entries.filter(({ kind }) => kind !== 'reasoning');
        expect(new Set(sent.map(({ id }) => id))).toEqual(expected);
        expect(sent).toHaveLength(expected.size);
      }),
    );
  });
});
