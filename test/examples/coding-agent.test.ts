import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prose } from '../../core/testing';
import type { ScriptedReply, SeenRequest } from '../../core/testing';
import { isOfWorker, stage, textOf } from './example-process';
import type { Stage } from './example-process';

const SYSTEM = 'You are a careful engineer.';
const SUMMARY = `## Completed Tasks
(none)

## Active Task
### Tidy src/price.js
Goal: round prices in one place. The file was read; the change is still to be made.

## Key Decisions
- round half up — the invoices do so

## User Directives
- "Never round twice."

## Current Work
About to change round() in src/price.js.`;

/** The worker reads the file again into the next context and writes the summary. */
const asWorker = ({ last }: SeenRequest): ScriptedReply =>
  last.includes('Summary taken')
    ? { text: 'The summary is there.' }
    : {
        calls: [
          { name: 'mark_read_required', arguments: { path: 'src/price.js' } },
          { name: 'write_summary', arguments: { text: SUMMARY } },
        ],
      };

function project({ folder }: Stage): void {
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/price.js'), 'export const round = (x) => Math.round(x * 100) / 100;\n');
  writeFileSync(join(folder, 'AGENTS.md'), 'Use two blanks for indentation.\n');
}

describe('the coding agent by manifest', () => {
  it('compacts between turns in the background, and goes on from the summary with the file already read', async () => {
    await using scene = await stage('coding-agent', (request) => {
      if (isOfWorker(request)) return asWorker(request);
      if (request.last.startsWith('Look'))
        return { calls: [{ name: 'read_file', arguments: { path: 'src/price.js' } }] };
      if (request.last.startsWith('Change'))
        return {
          calls: [
            { name: 'edit_file', arguments: { path: 'src/price.js', old_text: 'Math.round', new_text: 'roundHalfUp' } },
            { name: 'run_command', arguments: { command: 'git push origin' } },
          ],
        };
      return { text: `I see. ${prose(4_000)}` };
    });
    project(scene);
    const talk = scene.start();
    talk.say('Look at src/price.js. Never round twice.');
    await talk.until(/\[finished\]/);
    for (const n of [1, 2, 3, 4, 5]) {
      talk.say(`Think about case ${n}.`);
      await talk.until(/\[finished\]/);
    }
    await talk.until(/\[compacted: \d+ → \d+ tokens\]/);
    talk.say('Change it now.');
    await talk.until(/\[finished\]/);
    const { code, stderr } = await talk.end();
    expect([code, stderr]).toEqual([0, '']);

    expect(scene.provider.requests.flatMap(({ violations }) => violations)).toEqual([]);
    const [first, ...later] = scene.agentRequests();
    expect(first?.system[0]).toContain(SYSTEM);
    expect(first?.system[0]).toContain('Use two blanks for indentation.');
    const [before, changing, results] = later.slice(-3);
    expect(changing?.inputTokens).toBeLessThan((before?.inputTokens ?? 0) / 2);
    expect(changing?.system[0]?.startsWith(first?.system[0] ?? '-')).toBe(true);
    expect(changing?.system[0]).toContain('About to change round() in src/price.js.');
    expect(changing?.system[0]).toContain('[Auto-read file: src/price.js]\nexport const round');
    // What was read into the context may be edited; what the manifest denies is not run.
    expect(readFileSync(join(scene.folder, 'src/price.js'), 'utf8')).toContain('roundHalfUp(x * 100)');
    expect(textOf(results)).toContain('run_command(git push *)');
  });

  it('goes on with a session that was closed', async () => {
    await using scene = await stage('coding-agent', () => 'So it is.');
    project(scene);
    const first = scene.start();
    const [, id = ''] = /\[session (\S+)\]/.exec(await first.until(/\[session \S+\]/)) ?? [];
    first.say('The answer is forty-two.');
    await first.until(/\[finished\]/);
    expect((await first.end()).code).toBe(0);
    expect(readdirSync(join(scene.folder, '.pith/sessions'))).toContain(`${id}.jsonl`);

    const second = scene.start(id);
    second.say('What is the answer?');
    await second.until(/\[finished\]/);
    expect((await second.end()).code).toBe(0);
    expect(textOf(scene.agentRequests()[1])).toMatch(/The answer is forty-two\.\nSo it is\.\nWhat is the answer\?$/);
  });
});

describe('the coding agent in code', () => {
  it('asks before it runs a command, compacts in the middle of a long turn, and ends the turn', async () => {
    let thoughts = 0;
    await using scene = await stage('coding-agent-in-code', (request) => {
      if (isOfWorker(request)) return asWorker(request);
      if (request.last.startsWith('Tidy'))
        return {
          calls: [
            { name: 'read_file', arguments: { path: 'src/price.js' } },
            { name: 'run_command', arguments: { command: 'ls src' } },
          ],
        };
      if (request.system.join('').includes('[Compacted context summary')) return { text: 'All is tidy.' };
      thoughts++;
      const todos = [{ content: `step ${thoughts}`, status: 'in_progress' }];
      return { text: `Step ${thoughts}. ${prose(4_000)}`, calls: [{ name: 'todo_write', arguments: { todos } }] };
    });
    project(scene);
    const talk = scene.start();
    talk.say('Tidy up. Never round twice.');
    await talk.until(/run_command\(ls src\): once, session or no\?/);
    talk.say('once');
    await talk.until(/\[compacted: \d+ → \d+ tokens\]/);
    await talk.until(/All is tidy\.\s*\[finished\]/);
    expect(await talk.end()).toMatchObject({ code: 0, stderr: '' });

    expect(scene.provider.requests.flatMap(({ violations }) => violations)).toEqual([]);
    const requests = scene.agentRequests();
    expect(textOf(requests[1])).toContain('price.js');
    const last = requests.at(-1);
    expect(last?.inputTokens).toBeLessThan(requests.at(-2)?.inputTokens ?? 0);
    // The prompt of the turn and its newest steps are carried over.
    expect(last?.turns.find(({ role }) => role === 'user')?.texts).toEqual(['Tidy up. Never round twice.']);
    expect(textOf(last)).toContain(`[in_progress] step ${thoughts}`);
  });
});
