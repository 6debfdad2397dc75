import { createSource, FORMATS, readSessions } from '../../core/formats';
import { fixture } from './reading';

const EXPECTED: readonly (readonly [file: string, format: string])[] = [
  ['claude-code.jsonl', 'claude-code'],
  ['claude-code-resumed.jsonl', 'claude-code'],
  ['codex.jsonl', 'codex'],
  ['codex-0.40.jsonl', 'codex'],
  ['pi-v1.jsonl', 'pi'],
  ['pi-v3.jsonl', 'pi'],
  ['gemini-cli.json', 'gemini-cli'],
  ['opencode.json', 'opencode'],
  ['opencode-events.jsonl', 'opencode'],
];

function refusalOf(text: string, format?: string): { readonly code: string; readonly message: string } {
  try {
    readSessions(createSource('given.json', text), format);
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('the source was read');
}

describe('the format of a source', () => {
  test.each(EXPECTED)('of %s is %s, and no other format is as sure', (file, name) => {
    const source = fixture(file);
    const sure = FORMATS.filter((format) => format.detect(source) >= 0.5).map((format) => format.name);
    expect(sure).toEqual([name]);
    expect(readSessions(source).every((session) => session.format === name)).toBe(true);
  });

  test('that is unknown is refused with the nearest format and what is missing for it', () => {
    expect(refusalOf('{"sessionId":"s","messages":[{"type":"note"}]}')).toMatchObject({
      code: 'PITH_FORMAT_UNKNOWN',
      message: expect.stringMatching(
        /one JSON object with the fields "sessionId", "messages".*nearest is gemini-cli .*lacks "content"/s,
      ) as string,
    });
  });

  test.each([
    ['half a line', '{"type":"user","mess', 'cut off or malformed'],
    ['prose', 'Dear diary', 'text without JSON'],
    ['a number', '42', 'a single JSON value'],
    ['an empty list', '[]', 'a JSON list of 0'],
    ['foreign lines', '{"level":"info"}\n{"level":"warn"}', '2 JSON lines with the fields "level"'],
  ])('of %s is unknown, and the message says what it looks like', (_, text, words) => {
    expect(refusalOf(text)).toMatchObject({
      code: 'PITH_FORMAT_UNKNOWN',
      message: expect.stringContaining(words) as string,
    });
  });

  test('of a file that was cut off in its first line is told from the names that are left', () => {
    const { text } = fixture('codex.jsonl');
    expect(refusalOf(text.slice(0, 100))).toMatchObject({
      message: expect.stringContaining('The nearest is codex') as string,
    });
  });

  test('that is named but wrong is refused with the right one', () => {
    expect(refusalOf(fixture('codex.jsonl').text, 'pi')).toMatchObject({
      code: 'PITH_FORMAT_MISMATCH',
      message: expect.stringContaining('it is in the format codex') as string,
    });
  });

  test('that nobody reads is refused with the nearest name', () => {
    expect(refusalOf('{}', 'claud-code')).toMatchObject({
      code: 'PITH_FORMAT_UNKNOWN',
      message: expect.stringContaining('the nearest is "claude-code"') as string,
    });
  });

  test('that is right does not make a conversation of bookkeeping alone', () => {
    expect(refusalOf('{"type":"summary","summary":"A title","leafUuid":"u1"}')).toMatchObject({
      code: 'PITH_INPUT_EMPTY',
    });
  });
});
