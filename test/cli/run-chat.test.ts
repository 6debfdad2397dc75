import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStore, createSession } from '../../core';
import type { Script } from '../../core/testing';
import { gate, openChat } from './chats';

const ECHO: Script = ({ last }) => `You said ${last}.`;

describe('a conversation on a terminal', () => {
  test('says what goes on where, and shows prompt, answer, and how full the context is', async () => {
    const { terminal, say } = await openChat({ script: ECHO });
    await terminal.shows('/help shows the commands');
    expect(terminal.text).toMatch(/pith\.toml, scripted\nsession session-\w+, new\n/m);
    say('hello');
    await terminal.shows(
      /^› hello\n\nYou said hello\.\n\n~[\d,]+ of 120,000 tokens \(\d+%\), cache \d+%, scripted\n›$/m,
    );
  });

  test('shows text as it comes, and of reasoning one row', async () => {
    const more = gate();
    const { terminal, say } = await openChat({
      script: async () => {
        await more.opened;
        return { reasoning: 'First I think. '.repeat(40), text: ['one ', 'two\nthree', ' four'] };
      },
    });
    say('go');
    await terminal.shows(/^waiting for the model {2}\d+ s$/m);
    more.open();
    await terminal.shows(/^thought: First I think\. .*…\n\none two\nthree four\n\n~/m);
  });

  test('shows each tool call in one line: what it is about, what came of it, how long it took', async () => {
    const { terminal, say } = await openChat({
      files: { 'a.txt': 'x\n' },
      script: [
        {
          text: 'I look.',
          calls: [
            { name: 'read_file', arguments: { path: 'a.txt' } },
            { name: 'read_file', arguments: { path: 'no.txt' } },
          ],
        },
        'Done.',
      ],
    });
    say('read');
    await terminal.shows('Done.');
    expect(terminal.text).toMatch(/^✓ read_file a\.txt {2}Read a\.txt: all 1 line {2}[\d.]+ m?s$/m);
    expect(terminal.text).toMatch(/^✗ read_file no\.txt {2}Error: no\.txt does not exist\. {2}[\d.]+ m?s$/m);
  });

  test('what a model says cannot steer the terminal', async () => {
    const { terminal, say } = await openChat({ script: [{ text: ['evil \u001b]0;ti', 'tle\u0007\u001b[2Jend'] }] });
    say('go');
    await terminal.shows('end');
    expect(terminal.raw).not.toMatch(/\u001b\]|\u001b\[2J|\u0007/);
  });

  test('a failure is told with its code, and the conversation goes on', async () => {
    const { terminal, say } = await openChat({ script: [{ error: 'request' }, 'Better.'] });
    say('go');
    await terminal.shows(/^error PITH_LLM_REQUEST: /m);
    say('again');
    await terminal.shows('Better.');
  });
});

describe('while a turn runs', () => {
  test('prompts wait for its end, visibly, and are answered in order', async () => {
    const first = gate();
    const { terminal, say } = await openChat({
      script: async ({ last }, n) => {
        if (n === 0) await first.opened;
        return `Answer to ${last}.`;
      },
    });
    say('one');
    await terminal.shows('waiting for the model');
    say('two');
    say('three');
    await terminal.shows(/^waits: two\nwaits: three$/m);
    first.open();
    await terminal.shows('Answer to three.');
    expect(terminal.text.match(/^(?:› \S+|Answer to \S+)$/gm)).toEqual([
      '› one',
      'Answer to one.',
      '› two',
      'Answer to two.',
      '› three',
      'Answer to three.',
    ]);
    expect(terminal.text).not.toContain('waits:');
  });

  test('/steer joins it at its next request, and is shown once', async () => {
    const first = gate();
    const { terminal, say, model } = await openChat({
      files: { 'a.txt': 'x\n' },
      script: async (_, n) => {
        if (n > 0) return 'Steered.';
        await first.opened;
        return { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] };
      },
    });
    say('one');
    await terminal.shows('waiting for the model');
    say('/steer go left');
    await terminal.shows(/^joins: go left$/m);
    first.open();
    await terminal.shows('Steered.');
    expect(terminal.text.match(/^› go left\n {2}joined the turn$/gm)).toHaveLength(1);
    expect(terminal.text.match(/^Steered\.$/gm)).toHaveLength(1);
    expect(model.requests[1]?.last).toContain('go left');
  });

  test('Ctrl-C aborts it and not the session, and keeps what is being typed', async () => {
    const { terminal, say, conversation } = await openChat({
      script: (_, n) => (n === 0 ? new Promise(() => undefined) : 'Here.'),
    });
    say('one');
    await terminal.shows('waiting for the model');
    terminal.type('half typed');
    terminal.type('\u0003');
    await terminal.shows(/^aborted: You interrupted it\.$/m);
    await terminal.shows(/^› half typed$/m);
    expect(conversation.session.turnOpen).toBe(false);
    terminal.type('\r');
    await terminal.shows('Here.');
  });
});

describe('Ctrl-C and Ctrl-D', () => {
  test('throw the line away first; twice on an empty line ends, with exit code 0', async () => {
    const { terminal, code } = await openChat({ script: ECHO });
    await terminal.shows('›');
    terminal.type('something\u0003');
    await terminal.shows(/^›$/m);
    terminal.type('\u0003');
    await terminal.shows('Ctrl-C once more ends');
    terminal.type('\u0003');
    expect(await code).toBe(0);
    expect(terminal.keyboard.isRaw).toBe(false);
  });

  test('Ctrl-D and /exit end', async () => {
    for (const leave of ['\u0004', '/exit\r']) {
      const { terminal, code } = await openChat({ script: ECHO });
      await terminal.shows('›');
      terminal.type(leave);
      expect(await code).toBe(0);
    }
  });
});

describe('questions before a call runs', () => {
  const write: Script = (_, n) =>
    n % 2 === 0
      ? { calls: [{ name: 'write_file', arguments: { path: `${String(n)}.txt`, content: 'one\ntwo\n' } }] }
      : 'Done.';

  test('show what is about to run, and y allows it once', async () => {
    const { terminal, say, root, since } = await openChat({ script: write });
    say('write');
    await terminal.shows(/^run it\? y\/a\/n ›$/m);
    expect(since('? write_file wants to run')).toContain(
      '  write_file(0.txt)\n    content:\n      one\n      two\n  y: this once   a: write_file(**) for the session   n: no',
    );
    expect(existsSync(join(root, '0.txt'))).toBe(false);
    say('maybe');
    await terminal.shows('Answer y, a or n.');
    say('y');
    await terminal.shows('Done.');
    expect(readFileSync(join(root, '0.txt'), 'utf8')).toBe('one\ntwo\n');
    say('again');
    await terminal.shows(/^run it\?/m);
  });

  test('a allows it for the session', async () => {
    const { terminal, say, root, since } = await openChat({ script: write });
    say('write');
    await terminal.shows(/^run it\?/m);
    say('a');
    await terminal.shows('Done.');
    say('again');
    await terminal.shows(/› again[^]*Done\./);
    expect(since('› again')).not.toContain('wants to run');
    expect(existsSync(join(root, '2.txt'))).toBe(true);
  });

  test.each(['n\r', '\u0003'])('%j does not, and the turn goes on', async (no) => {
    const { terminal, say, root } = await openChat({ script: write });
    say('write');
    await terminal.shows(/^run it\?/m);
    terminal.type(no);
    await terminal.shows('Done.');
    expect(terminal.text).toContain('not allowed');
    expect(terminal.text).toMatch(/^✗ write_file 0\.txt {2}Error: the user refused/m);
    expect(existsSync(join(root, '0.txt'))).toBe(false);
  });

  test('what was being typed comes back after the answer', async () => {
    const asked = gate();
    const { terminal, say } = await openChat({
      script: async (_, n) => {
        if (n === 0) await asked.opened;
        return n === 0 ? { calls: [{ name: 'run_command', arguments: { command: 'echo hi' } }] } : 'Done.';
      },
    });
    say('run');
    await terminal.shows('waiting for the model');
    terminal.type('my next prompt');
    asked.open();
    await terminal.shows(/^run it\? y\/a\/n ›$/m);
    say('y');
    await terminal.shows(/^› my next prompt$/m);
    await terminal.shows('Done.');
    expect(terminal.text).toMatch(/^✓ run_command echo hi {2}/m);
  });
});

describe('commands', () => {
  const long = Array.from({ length: 400 }, (_, at) => `line ${String(at)} of a file with some words`).join('\n');
  const reading: Script = (_, n) =>
    n % 2 === 0 ? { calls: [{ name: 'read_file', arguments: { path: 'long.txt' } }] } : 'Read it.';

  test('/compact compacts with a focus, /undo takes it back', async () => {
    const { terminal, say, conversation } = await openChat({
      script: reading,
      files: { 'long.txt': long },
      manifest: '[compaction]\nworker = "offline"\nretained_tokens = 200\nauto_read_budget = 0\n',
    });
    for (const prompt of ['read it', 'once more']) {
      say(prompt);
      await terminal.shows(new RegExp(`› ${prompt}[^]*Read it\\.`));
    }
    say('/compact the file');
    await terminal.shows(/^compacted [\d,]+ → [\d,]+ tokens {2}as you asked, offline worker, [\d.]+ m?s$/m);
    expect(conversation.session.compactedFrom).toBeDefined();
    say('/undo');
    await terminal.shows(/^The newest compaction is undone; the context has [\d,]+ tokens again\.$/m);
    expect(conversation.session.compactedFrom).toBeUndefined();
    say('/undo');
    await terminal.shows('There is no compaction to undo.');
  });

  test('/compact that has nothing to do says so', async () => {
    const { terminal, say } = await openChat({ script: ECHO });
    say('/compact');
    await terminal.shows('compaction: nothing to do');
  });

  test('/compact waits for the turn, and Ctrl-C cancels it', async () => {
    const answered = gate();
    const { terminal, say, conversation } = await openChat({
      script: async () => {
        await answered.opened;
        return 'Here.';
      },
    });
    say('one');
    await terminal.shows('waiting for the model');
    say('/undo');
    await terminal.shows(/^error PITH_CONVERSATION_BUSY/m);
    say('/compact');
    await terminal.shows(/^› \/compact$/m);
    answered.open();
    await terminal.shows(/^compaction: nothing to do/m);
    expect(conversation.busy).toBe(false);
  });

  test('/inspect shows what the context is made of and what the session cost', async () => {
    const { terminal, say } = await openChat({ script: reading, files: { 'long.txt': long } });
    say('read');
    await terminal.shows('Read it.');
    say('/inspect');
    await terminal.shows(/^ {2}2 requests, [\d,]+ input tokens \(\d+% from the cache\), \d+ output tokens$/m);
    expect(terminal.text).toMatch(/^Context of [\d,]+ tokens \(\w+\)\n {2}tool results +[\d,]+ +\d+% {2}█+/m);
    expect(terminal.text).toMatch(/^ {2}read_file +[\d,]+/m);
  });

  test('/help lists them, and one that is none is told with the nearest', async () => {
    const { terminal, say, model } = await openChat({ script: ECHO });
    say('/help');
    await terminal.shows(/^\/compact \[FOCUS\] +compact now/m);
    for (const name of ['undo', 'inspect', 'steer', 'exit']) expect(terminal.text).toContain(`\n/${name}`);
    say('/inspct');
    await terminal.shows('There is no /inspct. Did you mean /inspect? /help shows the commands.');
    say('/steer');
    await terminal.shows('/steer needs what to tell the agent.');
    expect(model.requests).toEqual([]);
  });

  test('a prompt may begin with a path', async () => {
    const { terminal, say } = await openChat({ script: ECHO });
    say('/etc/hosts is wrong');
    await terminal.shows('You said /etc/hosts is wrong.');
  });
});

describe('automatic compaction', () => {
  test('is shown while it runs and when it has ended, and says from how many tokens to how many', async () => {
    const working = gate();
    const text = Array.from({ length: 500 }, (_, at) => `line ${String(at)} of a file with some words`).join('\n');
    const summary =
      '## Completed Tasks\n\n### Reading\nThe file was read.\n\n## Active Task\n\n### Talk\nTalking goes on.\n\n## Key Decisions\n\n(none)\n\n## User Directives\n\n(none)\n\n## Current Work\n\nThe helper answers.';
    const { terminal, say } = await openChat({
      window: 20_000,
      files: { 'long.txt': text },
      manifest: '[compaction]\ncompact_threshold = 5000\nretained_tokens = 200\n',
      script: async ({ tools }, n) => {
        if (!tools.includes('write_summary'))
          return n % 2 === 0 ? { calls: [{ name: 'read_file', arguments: { path: 'long.txt' } }] } : 'Read it.';
        await working.opened;
        return { calls: [{ name: 'write_summary', arguments: { text: summary } }] };
      },
    });
    say('read');
    await terminal.shows(/^compacting between turns: .*$/m);
    await terminal.shows(/^›$/m);
    working.open();
    await terminal.shows(/^compacted [\d,]+ → [\d,]+ tokens {2}between turns, llm worker, [\d.]+ m?s$/m);
    expect(terminal.text).not.toContain('compacting between turns');
  });
});

describe('a session that is kept', () => {
  test('that was interrupted says so, and Enter goes on with the turn', async () => {
    const store = createMemoryStore();
    const writer = await store.create('kept');
    const session = createSession({ id: 'kept', writer, now: () => 0 });
    session.record({ t: 'turn', phase: 'start', turn: 1 });
    session.append([{ kind: 'message', role: 'user', parts: [{ type: 'text', text: 'count to three' }] }]);
    await session.close();
    const { terminal, say, model } = await openChat({ store, session: 'kept', script: ECHO });
    await terminal.shows('The last turn was interrupted. Enter goes on with it');
    expect(terminal.text).toContain('session kept, after 1 turn');
    say('');
    await terminal.shows('You said count to three.');
    expect(model.requests).toHaveLength(1);
    terminal.type('\u001b[A');
    await terminal.shows(/^› count to three$/m);
  });

  test('with prompts that waited takes them in order, each with its answer', async () => {
    const store = createMemoryStore();
    const first = await openChat({ store, script: () => new Promise(() => undefined) });
    first.say('one');
    await first.terminal.shows('waiting for the model');
    first.say('two');
    first.say('three');
    await first.terminal.shows('waits: three');
    const { session } = first.conversation;
    while (session.queued().length < 2) await new Promise((resolve) => setImmediate(resolve));
    const { id } = session;
    await first.close();
    const { terminal, say } = await openChat({ store, session: id, script: ECHO });
    await terminal.shows('2 prompts of before wait; Enter takes them.');
    await terminal.shows(/^waits: two\nwaits: three$/m);
    say('');
    await terminal.shows('You said three.');
    expect(terminal.text.match(/^(?:› \S+|You said \S+)$/gm)).toEqual([
      '› two',
      'You said two.',
      '› three',
      'You said three.',
    ]);
  });
});

test('a dumb terminal gets plain lines', async () => {
  const { terminal } = await openChat({ script: ECHO, env: { TERM: 'dumb' } });
  await terminal.shows(/› ?$/);
  terminal.type('hello\n');
  await terminal.shows(/You said hello\.\n\n~[^]*›/);
  expect(terminal.raw).not.toContain('\u001b');
  expect(terminal.text.match(/You said/g)).toHaveLength(1);
});
