import { PithError } from '../../core';
import { createSource, readSessions } from '../../core/formats';
import { createSession } from '../../core/session/log-session';
import { fixture, itemsOf, outline, read } from './reading';

const lines = fixture('pith.jsonl').text.trimEnd().split('\n');
const readText = (text: string) => readSessions(createSource('log.jsonl', text))[0]!;

function errorOf(run: () => unknown): PithError {
  try {
    run();
  } catch (error) {
    if (PithError.is(error)) return error;
  }
  throw new Error('nothing was thrown');
}

describe('a session file of Pith', () => {
  const session = read('pith.jsonl');

  test('is read record by record, with id, root, item ids and counts', () => {
    expect(session).toMatchObject({ format: 'pith', id: 's-1', root: '/w' });
    expect(outline(session)).toEqual([
      'settings',
      'turn 1 start',
      'user: Weave a mat.',
      'call c1 loom',
      'result c1',
      'usage',
      'checkpoint at 3',
      'undo',
    ]);
    expect(itemsOf(session).map((item) => item.id)).toEqual(['i0', 'i1', 'i2']);
    expect(session.records[2]).toMatchObject({ count: { text: 4 }, enc: 'o200k_base@1' });
  });

  test('leaves out records of unknown kinds, says so, and keeps what points at a record pointing there', () => {
    expect(session.warnings).toEqual(['Records of kinds that this version does not know were left out: 1.']);
    const again = createSession({ id: 'x' });
    again.record(...session.records);
    const records = [...again.records()];
    const undo = records.find((record) => record.t === 'undo');
    expect(records[undo!.checkpoint]).toMatchObject({ t: 'checkpoint' });
  });

  test('whose last line is torn loses that line, with a warning', () => {
    const torn = `${lines.slice(0, 4).join('\n')}\n${lines[5]!.slice(0, 40)}`;
    expect(outline(readText(torn))).toEqual(['settings', 'turn 1 start', 'user: Weave a mat.']);
    expect(readText(torn).warnings).toEqual(['The last line (5) is torn and was dropped.']);
  });

  test.each([
    ['is no JSON', '{"seq":2,"t":"tur'],
    ['is no record', '[1]'],
    ['has no kind', '{"seq":2,"at":0}'],
    ['is an item without parts', '{"seq":2,"at":0,"t":"item","item":{"kind":"message","id":"a","role":"user"}}'],
    ['is an item of no kind', '{"seq":2,"at":0,"t":"item","item":{"kind":"song","id":"a"}}'],
    ['is a checkpoint without a cut', '{"seq":2,"at":0,"t":"checkpoint","compaction":"c","blocks":[],"edits":[]}'],
    ['pins nothing', '{"seq":2,"at":0,"t":"pin"}'],
    ['is usage without a figure', '{"seq":2,"at":0,"t":"usage","usage":{"inputTokens":"12"}}'],
    ['is state without a value', '{"seq":2,"at":0,"t":"state","namespace":"n"}'],
    [
      'holds a part of no kind',
      '{"seq":2,"at":0,"t":"item","item":{"kind":"message","id":"a","role":"user","parts":[{"type":"smell"}]}}',
    ],
    [
      'is a checkpoint with a cut between items',
      '{"seq":2,"at":0,"t":"checkpoint","compaction":"c","blocks":[],"cut":1.5,"edits":[],"before":1,"after":1}',
    ],
    [
      'is a checkpoint with a cut before all items',
      '{"seq":2,"at":0,"t":"checkpoint","compaction":"c","blocks":[],"cut":-1,"edits":[],"before":1,"after":1}',
    ],
    ['holds an edit of no kind', '{"seq":2,"at":0,"t":"edits","by":"p","edits":[{"edit":"sing"}]}'],
  ])('with a line in the middle that %s is refused, naming file and line', (_, line) => {
    const broken = [...lines.slice(0, 2), line, ...lines.slice(2)].join('\n');
    const error = errorOf(() => readText(broken));
    expect(error.code).toBe('PITH_SESSION_CORRUPT');
    expect(error.message).toContain('log.jsonl, line 3');
  });

  test('of a newer major version is refused by name', () => {
    const error = errorOf(() => readText(lines.join('\n').replace('pith.session/1', 'pith.session/2')));
    expect(error.code).toBe('PITH_SESSION_SCHEMA');
    expect(error.message).toContain('pith.session/2');
  });

  test('may hold records of every kind', () => {
    const bodies = [
      { t: 'pin', text: 'rule' },
      { t: 'run', outcome: 'finished' },
      { t: 'item', item: { kind: 'reasoning', id: 'r', opaque: 'c2ln' } },
      {
        t: 'item',
        item: {
          kind: 'message',
          id: 'm',
          role: 'user',
          parts: [{ type: 'image', mediaType: 'image/png', data: 'aaaa' }],
        },
      },
      {
        t: 'edits',
        by: 'prune',
        edits: [
          { edit: 'drop', items: ['r'] },
          { edit: 'content', item: 'm', text: null },
          { edit: 'insert', before: 'end', item: { kind: 'message', role: 'user', parts: [] } },
        ],
      },
      { t: 'compaction', phase: 'failed', compaction: 'c', data: {} },
      { t: 'state', namespace: 'n', value: null },
      { t: 'settings', tools: [{ name: 'f' }] },
    ];
    const text = [lines[0], ...bodies.map((body, index) => JSON.stringify({ seq: index + 1, at: 0, ...body }))].join(
      '\n',
    );
    expect(readText(text).records).toEqual(bodies);
  });
});
