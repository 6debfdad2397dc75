import { checkpointsOf, itemsOf, outline, read, usageOf } from './reading';

describe('a linear pi session', () => {
  const session = read('pi-v1.jsonl');

  test('is read in order; prompts without any answer between them are one turn', () => {
    expect(outline(session)).toEqual([
      'settings',
      'turn 1 start',
      'user: Build the site.',
      'user: Build the site, drafts too. | [image]',
      'reasoning: Drafts need a flag.',
      'assistant: Building.',
      'call t1 bash',
      'call t2 read',
      'usage',
      'result t1 failed',
      'result t2',
      'settings',
      'assistant: The flag is in site.json.',
      'usage',
      'checkpoint at 8',
      'user: Ran `git status`\n```\nclean\n```\nCommand exited with code 1',
      'turn 1 end',
      'turn 2 start',
      'user: Go on.',
    ]);
  });

  test('adds cache reads and writes to the prompt and leaves out figures that are all zero', () => {
    expect(usageOf(session)).toEqual([
      { inputTokens: 1603, cacheReadTokens: 1200, cacheWriteTokens: 400, outputTokens: 90, model: 'claude-sonnet-4-5' },
      { inputTokens: 1610, cacheReadTokens: 1600, cacheWriteTokens: 0, outputTokens: 20, model: 'gpt-5.1-codex' },
    ]);
  });

  test('keeps what its compaction kept, by the line it names', () => {
    expect(checkpointsOf(session)).toMatchObject([
      { cut: 8, before: 1740, blocks: [{ text: '## Goal\nBuild the site with drafts.' }] },
    ]);
    expect(itemsOf(session)[8]).toMatchObject({ parts: [{ text: 'The flag is in site.json.' }] });
  });

  test('refers to an image whose bytes are elsewhere', () => {
    expect(itemsOf(session)[1]).toMatchObject({
      parts: [{ type: 'text' }, { type: 'image', url: 'blob:sha256:00ff' }],
    });
  });
});

describe('a pi session that is a tree', () => {
  const session = read('pi-v3.jsonl');

  test('is read from the root to its last entry', () => {
    expect(outline(session).filter((line) => !/^(?:settings|usage|turn)/.test(line))).toEqual([
      'user: Which font?',
      'assistant: Two serif fonts.',
      'user: The first font was tried and dropped.',
      'user: Take the second.',
      'user: The second font has no bold.',
      'assistant: Second taken.',
      'checkpoint at 3',
      'user: Now the colours.',
    ]);
  });
});
