/**
 * Real sessions of other agents, where there are any: a folder with `index.json` and `files/`, named by PITH_SESSIONS or found
 * beside the repository. Every file is inspected and compacted, and what comes out is judged by rules of its own.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkIntegrity } from '../../core/context/integrity';
import { createContext } from '../../core/context/context';
import { compactJson } from '../../core/cli/compact-json';
import { runCompact } from '../../core/cli/compact-run';
import type { CompactRun } from '../../core/cli/compact-run';
import { inspectJson } from '../../core/cli/inspect';
import { openAtWork } from '../../core/cli/session-at-work';
import { inspectSession } from '../../core/agent/inspect';
import { createImportedSession, createSource, readSessions, WRITERS } from '../../core/formats';
import { checkRequest } from '../../core/testing';
import { TOKENIZER } from '../../core/tokens/tokenizer';
import { createTiktoken } from '../../core/tokens/tiktoken';
import { commandFile, pith, ROOT } from '../cli/command';
import { faultsBySchema } from '../cli/schemas';
import { factsOf, identifiersOf, namesIn } from './session-facts';

interface Entry {
  readonly id: string;
  readonly file: string;
  readonly format: string;
}

const FOLDER = process.env['PITH_SESSIONS'] ?? join(ROOT, '../shared/sessions');
const INDEX = join(FOLDER, 'index.json');
const ENTRIES = existsSync(INDEX) ? (JSON.parse(readFileSync(INDEX, 'utf8')) as readonly Entry[]) : [];

/** Formats that are not read (S12.3 names those that are). */
const UNREAD = /^(?:aider|agent-tars|atif|copilot|kimi)/;
const READ = ENTRIES.filter(({ format }) => !UNREAD.test(format));
const NOT_READ = ENTRIES.filter(({ format }) => UNREAD.test(format));

/** Tokens: what is kept, read and summarised at most, and what headings and references may add. */
const MOST_ADDED = 8000 + 8000 + 4000 + 500;

const silent = { progress: () => undefined, warn: () => undefined } as never;
const tokenizer = createTiktoken();
const pathOf = ({ file }: Entry): string => join(FOLDER, file);

const corpus = ENTRIES.length > 0 ? describe : describe.skip;

corpus('real sessions of other agents (PITH_SESSIONS)', () => {
  const named = (list: readonly Entry[]): (readonly [string, Entry])[] => list.map((entry) => [entry.id, entry]);
  const each =
    READ.length > 0
      ? test.each(named(READ))
      : test.skip.each([['none', undefined as never]] as (readonly [string, Entry])[]);

  each('%s is inspected, and the JSON fits its schema', async (_, entry) => {
    const work = await openAtWork({ file: pathOf(entry) }, {}, silent);
    const inspection = inspectSession(work.opened.session, {
      tokenizer: work.kernel.get(TOKENIZER),
      files: work.files,
    });
    const json = inspectJson(work.opened.facts, inspection);
    await work.close();
    expect(faultsBySchema('pith.inspect-1', json)).toEqual([]);
    expect(json.source.items).toBeGreaterThan(0);
    expect(json.occupancy).toHaveLength(json.source.requests);
    const byKind = Object.values(json.tokens.byKind).reduce((sum, tokens) => sum + tokens, 0);
    expect(Math.abs(byKind - json.tokens.total)).toBeLessThanOrEqual(Math.max(10, json.tokens.total * 0.02));
  });

  each(
    '%s is compacted, whatever is to be retained, and every shape of the new context is whole',
    async (_, entry) => {
      for (const retainedTokens of [undefined, 0, 2000, 20_000]) {
        const run = await runCompact({ file: pathOf(entry), retainedTokens }, silent);
        expect(faultsBySchema('pith.compact-1', compactJson(run))).toEqual([]);
        expect(['done', 'nothing-to-do', 'inflated']).toContain(run.report.outcome);
        expect(run.context.occupancy().tokens).toBeLessThanOrEqual(run.before.tokens);
        expectWhole(run);
        if (run.parts.before.conversation > 30_000) {
          expect(run.report.outcome).toBe('done');
          if (retainedTokens === undefined)
            expect(run.report.after?.tokens).toBeLessThanOrEqual(
              Math.max(run.parts.before.fixed, run.parts.after.fixed) + MOST_ADDED,
            );
        }
      }
    },
    120_000,
  );

  each(
    '%s: nothing that matters is forgotten, and nothing is made up',
    async (_, entry) => {
      const run = await runCompact({ file: pathOf(entry) }, silent);
      if (run.report.outcome !== 'done') return;
      const facts = await factsOf(run, tokenizer);
      const blocks = run.context.system.flatMap(({ kind, text }) => (kind === 'block' ? [text] : [])).join('\n');
      const summary = run.report.summary?.text ?? '';

      expect(facts.written.filter((path) => !blocks.includes(path))).toEqual([]);
      const quotable = facts.lastPrompts.map((text) => text.replace(/\s+/g, ' '));
      expect(quotable.filter((text) => !summary.replace(/\s+/g, ' ').includes(text))).toEqual([]);
      const log = facts.log.replace(/\s+/g, ' ');
      expect(identifiersOf(summary).filter((name) => !namesIn(log, name))).toEqual([]);
      expect(emptySections(summary).filter((section) => facts.holds(section))).toEqual([]);
      if (facts.knownFiles >= 5) {
        const read = run.report.marks.reduce((sum, { tokens }) => sum + tokens, 0);
        expect(read).toBeGreaterThanOrEqual(0.6 * Math.min(run.autoReadBudget ?? 0, facts.knownTokens));
      }
    },
    60_000,
  );

  const eachUnread =
    NOT_READ.length > 0
      ? test.each(named(NOT_READ))
      : test.skip.each([['none', undefined as never]] as (readonly [string, Entry])[]);
  eachUnread('%s is in no format that is read, and that is what is said', async (_, entry) => {
    await expect(runCompact({ file: pathOf(entry) }, silent)).rejects.toMatchObject({ code: 'PITH_FORMAT_UNKNOWN' });
  });

  test('the command itself does the same with the largest of each kind', async () => {
    commandFile();
    for (const format of ['claude-code', 'codex-rollout', 'pi']) {
      const entry = READ.find((candidate) => candidate.format === format);
      if (entry === undefined) continue;
      const { code, stdout, stderr } = await pith(['compact', pathOf(entry), '--json']);
      expect({ code, errors: /^error/m.test(stderr) }).toEqual({ code: 0, errors: false });
      expect(JSON.parse(stdout)).toMatchObject({ schema: 'pith.compact/1', outcome: 'done' });
    }
  }, 120_000);
});

/** Holds the context of a run to the rules of every provider, in every shape that it can be written in. */
function expectWhole({ context }: CompactRun): void {
  expect(checkIntegrity(context.items())).toEqual([]);
  const texts = context.system.map(({ text }) => text.toWellFormed());
  const [first = ''] = texts;
  // Where a file has one placeholder for all its texts, nothing can stand there only once.
  const prompt = context.system[0]?.kind === 'prompt' && texts.lastIndexOf(first) === 0 ? first : '';
  for (const { name, write } of WRITERS) {
    const value = write(context);
    if (name === 'pith') {
      const [read] = readSessions(createSource('context.jsonl', String(value)));
      const session = createImportedSession(read as NonNullable<typeof read>);
      expect(createContext(session, { tokenizer }).view().digest).toBe(context.digest);
    } else {
      expect(
        checkRequest(name, value, { system: name === 'anthropic' ? 'many' : 'one', firstUser: true, prompt }),
      ).toEqual([]);
    }
  }
}

function emptySections(summary: string): readonly string[] {
  return summary.split(/^## /m).flatMap((section) => {
    const [heading = '', ...body] = section.split('\n');
    return body.join('').trim() === '(none)' ? [heading.trim()] : [];
  });
}
