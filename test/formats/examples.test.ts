import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSource, readSessions } from '../../core/formats';
import { itemsOf, usageOf } from './reading';

const FOLDER = join(__dirname, '../../examples/sessions');

describe('the example sessions', () => {
  test.each([
    ['csv-import.jsonl', 'claude-code', 6, 36],
    ['flaky-test.jsonl', 'pi', 6, 24],
  ])('%s is read whole: every call has its result, every reply its usage', (name, format, turns, replies) => {
    const [session] = readSessions(createSource(name, readFileSync(join(FOLDER, name), 'utf8')));
    expect(session).toMatchObject({ format, malformed: 0, warnings: [] });
    const items = itemsOf(session!);
    const calls = items.flatMap((item) => (item.kind === 'tool_call' ? [item.callId] : []));
    const results = items.flatMap((item) => (item.kind === 'tool_result' ? [item.callId] : []));
    expect(new Set(results)).toEqual(new Set(calls));
    expect(results).toHaveLength(calls.length);
    expect(usageOf(session!)).toHaveLength(replies);
    expect(session!.records.filter((record) => record.t === 'turn' && record.phase === 'end')).toHaveLength(turns);
  });

  test('are all of the folder', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(['csv-import.jsonl', 'flaky-test.jsonl']);
  });
});
