import { itemsOf, outline, read, textOf, usageOf } from './reading';

describe('a Gemini CLI chat', () => {
  const session = read('gemini-cli.json');

  test('has calls first and then their results, though both stand in one record', () => {
    expect(outline(session)).toEqual([
      'turn 1 start',
      'user: Which files are here?',
      'settings',
      'reasoning: Looking around\nI list the folder first.',
      'call list-1 list_directory',
      'call read-1 read_file',
      'call run-1 run_shell_command',
      'usage',
      'result list-1',
      'result read-1 failed',
      'assistant: There is one file, a.txt.',
      'usage',
      'turn 1 end',
    ]);
  });

  test('takes outputs and errors out of their responses', () => {
    expect(
      itemsOf(session)
        .filter((item) => item.kind === 'tool_result')
        .map(textOf),
    ).toEqual(['a.txt', 'Path must be absolute: b.txt']);
  });

  test('counts thoughts as output', () => {
    expect(usageOf(session)[0]).toEqual({
      inputTokens: 4000,
      cacheReadTokens: 1500,
      outputTokens: 55,
      reasoningTokens: 35,
      model: 'gemini-2.5-pro',
    });
  });
});
