import fc from 'fast-check';
import { errorLine, firstCommand, commandKey, verdictOf } from '../../../plugins/compaction/workers/offline/commands';
import { decisionsOf } from '../../../plugins/compaction/workers/offline/decisions';
import { directivesOf } from '../../../plugins/compaction/workers/offline/directives';
import { languageOf, wordsOf } from '../../../plugins/compaction/workers/offline/language';
import {
  joined,
  proseLines,
  reportLines,
  roughTokens,
  sentencesOf,
  shorten,
  titleOf,
} from '../../../plugins/compaction/workers/offline/prose';
import { isGoingOn, userWords } from '../../../plugins/compaction/workers/offline/user-words';
import { tokenizer } from '../../support/context';

describe('prose', () => {
  test('is what a message says without markup, code and tables', () => {
    expect(
      proseLines('# Done\n\n- **First** `a_b`\n2. second\n> quoted\n```ts\ncode\n```\n| a | b |\n---\n✅ third'),
    ).toEqual(['Done', 'First `a_b`', 'second', 'quoted', 'third']);
    expect(proseLines('see [main.ts](src/main.ts) and [the docs](https://example.com)')).toEqual([
      'see src/main.ts and the docs (https://example.com)',
    ]);
    expect(proseLines('keeps __dunder__ and snake_case')).toEqual(['keeps __dunder__ and snake_case']);
  });

  test('of a report leaves out headings and what only leads to a list, unless there is nothing else', () => {
    expect(reportLines('## Summary\n**Changes:**\nHere it is:\n- one\n- two')).toEqual(['one', 'two']);
    expect(reportLines('## Summary')).toEqual(['Summary']);
  });

  test('falls into sentences, not at names, abbreviations and numbers', () => {
    expect(
      sentencesOf('Edit src/a.ts first. Then, e.g. with jest, run it (i.e. test). Is it ok? 好的。下一步'),
    ).toEqual(['Edit src/a.ts first.', 'Then, e.g. with jest, run it (i.e. test).', 'Is it ok?', '好的。', '下一步']);
  });

  test('is shortened behind a word and marked', () => {
    expect(shorten('one two three four', 12)).toBe('one two …');
    expect(shorten('one', 3)).toBe('one');
    expect(joined(['first line', 'second.', 'third'], 100)).toBe('first line; second. third');
    expect(joined(['a long first line that takes the room', 'second'], 40)).toBe(
      'a long first line that takes the room',
    );
  });

  test('never gets longer than asked for, but for its mark, and stays well-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 10, max: 200 }), (text, max) => {
        const short = shorten(text, max);
        expect(short.length).toBeLessThanOrEqual(max + 2);
        expect(short.isWellFormed()).toBe(text.isWellFormed());
        if (short !== text) expect(text.startsWith(short.slice(0, -2))).toBe(true);
      }),
    );
  });

  test('gives titles: the first line that says something, with the next where it says little', () => {
    expect(titleOf('Fix the parser. It fails on quotes.', 80)).toBe('Fix the parser. It fails on quotes');
    expect(titleOf('/home/me/repo\n\nFix the broken parser please.', 80)).toBe('Fix the broken parser please');
    expect(titleOf('Quality score\n\nCreate a page that shows it.', 80)).toBe(
      'Quality score: Create a page that shows it',
    );
    expect(titleOf('', 80)).toBe('');
  });

  test('is counted roughly on the safe side', () => {
    for (const text of [
      'The quick brown fox jumps over the lazy dog. '.repeat(50),
      '这是一个用于测试的中文句子。'.repeat(50),
      'export function parseCsv(text: string): Row[] {\n'.repeat(40),
    ])
      expect(roughTokens(text)).toBeGreaterThan(tokenizer.countText(text));
  });
});

describe('the words of the user', () => {
  test.each([
    ['plain words', 'Fix it.', 'Fix it.'],
    [
      'words beside tags of a harness',
      '<system-reminder>x</system-reminder>Fix it.<ide_selection>y</ide_selection>',
      'Fix it.',
    ],
    ['words in tags of their own', '<task>\nFix it.\n</task>', 'Fix it.'],
    ['nothing but a harness', '<local-command-stdout>ok</local-command-stdout>', ''],
    ['an interruption', '[Request interrupted by user for tool use]', ''],
    ['an earlier summary', 'This session is being continued from a previous conversation that ran out.', ''],
    [
      'a command with arguments',
      '<command-name>/fix</command-name><command-args>the parser</command-args>',
      'the parser',
    ],
    [
      'a request under a heading',
      '# Context from my IDE setup:\n- a.ts\n\n## My request for Codex:\nFix it.',
      'Fix it.',
    ],
    ['an image with words', '[image image/png]\nMake it like this.', 'Make it like this.'],
    ['a tag that is never closed', '<system-reminder>Fix it.', '<system-reminder>Fix it.'],
  ])('are found in %s', (_, text, words) => {
    expect(userWords(text)).toBe(words);
  });

  test.each(['ok', 'yes, continue', 'go on', 'thanks!', 'do it all', 'commit!', '继续', 'はい', 'ja bitte'])(
    '%p only goes on',
    (prompt) => {
      expect(isGoingOn(prompt)).toBe(true);
    },
  );

  test.each(['fix src/a.ts', 'now add a writer', 'no, use tabs instead', 'ok, now write the tests for the parser', ''])(
    '%p is more than that',
    (prompt) => {
      expect(isGoingOn(prompt)).toBe(false);
    },
  );
});

describe('directives', () => {
  test.each([
    ['Never push to main.', 2],
    ["Don't touch the tests.", 2],
    ['The name should be snake_case.', 2],
    ['Please add a test.', 1],
    ['Bitte niemals die Tests ändern.', 2],
    ['不要修改测试文件。', 2],
    ['Ne modifiez jamais les tests.', 2],
    ['Nunca cambies las pruebas.', 2],
    ['Никогда не меняй тесты.', 2],
    ['テストは変更しないでください。', 2],
  ])('%p is told', (sentence, binding) => {
    expect(directivesOf(`Hello there. ${sentence}\nThat is all there is.`)).toEqual([{ quotation: sentence, binding }]);
  });

  test.each(['The file has 10 lines.', 'const must = never;', 'Important rules:', 'do', '```never```'])(
    '%p is none',
    (sentence) => {
      expect(directivesOf(sentence)).toEqual([]);
    },
  );
});

describe('decisions', () => {
  test.each([
    ["I'll use Redis because it is fast.", "I'll use Redis — because it is fast"],
    ['We decided on PostgreSQL.', 'We decided on PostgreSQL'],
    [
      'Using streams instead of buffers, since files are large.',
      'Using streams instead of buffers — since files are large',
    ],
    ['Ich verwende Streams statt Puffern.', 'Ich verwende Streams statt Puffern'],
    [
      "J'ai choisi les flux parce que les fichiers sont gros.",
      "J'ai choisi les flux — parce que les fichiers sont gros",
    ],
    ['我决定采用流式处理，因为文件很大。', '我决定采用流式处理 — 因为文件很大'],
  ])('%p is one', (sentence, line) => {
    expect(decisionsOf(`Some text before.\n- ${sentence}`).map((decision) => decision.line)).toEqual([line]);
  });

  test.each([
    'If we used Redis it might be faster because of caching.',
    'Should we use Redis instead?',
    "I'll use grep now.",
    'Option 2: use Redis instead of files',
    'The test failed because of a timeout.',
  ])('%p is none', (sentence) => {
    expect(decisionsOf(sentence)).toEqual([]);
  });
});

describe('commands', () => {
  test.each([
    ['npm test', 'npm test', 'npm test'],
    ['cd /repo && npm run build', 'npm run build', 'npm run build'],
    ['source .venv/bin/activate && pytest -q tests', 'pytest -q tests', 'pytest tests'],
    ['# a comment\nCI=1 npx jest src', 'CI=1 npx jest src', 'jest src'],
    ["cat > a.py <<'EOF'\nprint(1)\nEOF", 'cat > a.py', 'cat a.py'],
    ['(cargo build --release)', 'cargo build --release', 'cargo build'],
  ])('%p is told in one line and known by what it is about', (script, command, key) => {
    expect(firstCommand(script)).toBe(command);
    expect(commandKey(command)).toBe(key);
  });

  test.each([
    ['Exit code 1\n\nTypeError: x is not a function\n    at a.js:1', 'TypeError: x is not a function'],
    ['Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad value', 'ValueError: bad value'],
    ['src/a.ts(1,2): error TS2322: Type mismatch', 'src/a.ts(1,2): error TS2322: Type mismatch'],
    ['Command: pip install x\nOutput: bash: pip: command not found\nError: (none)', 'bash: pip: command not found'],
    ['<tool_use_error>String to replace not found in file.</tool_use_error>', 'String to replace not found in file.'],
    ['\n\n', ''],
  ])('the line that says most of %p', (output, line) => {
    expect(errorLine(output, 160)).toBe(line);
  });

  test('the verdict of a run', () => {
    expect(verdictOf('PASS a\n=== 3 passed, 1 failed in 2s ===\ndone')).toBe('3 passed, 1 failed in 2s');
    expect(verdictOf('hello')).toBe('');
  });
});

describe('the language of a conversation', () => {
  test.each([
    ['en', 'Please add the parser to the file and run it with the tests.'],
    ['de', 'Bitte füge den Parser in die Datei ein und führe die Tests aus.'],
    ['fr', 'Ajoute le parseur dans le fichier et lance les tests, je te prie, pour une fois.'],
    ['es', 'Añade el analizador en el archivo y ejecuta las pruebas con los datos.'],
    ['pt', 'Adicione o analisador em um arquivo e execute os testes com os dados da pasta.'],
    ['it', 'Aggiungi il parser nella cartella e prova i test con gli dati che sono nella lista.'],
    ['ru', 'Добавь парсер в файл и запусти тесты.'],
    ['zh', '请在文件中添加解析器并运行测试。'],
    ['ja', 'ファイルにパーサーを追加してテストを実行してください。'],
    ['ko', '파일에 파서를 추가하고 테스트를 실행해 주세요.'],
    ['en', ''],
  ])('is %s', (language, text) => {
    expect(languageOf(text)).toBe(language);
    const { edits, ...words } = wordsOf(language);
    expect(Object.values(words).every((word) => word !== '')).toBe(true);
    expect(edits(1)).toMatch(/^1\s?\S/u);
    expect(edits(3)).toMatch(/^3\s?\S/u);
  });
});
