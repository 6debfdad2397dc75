/** Reports as the command writes them, and an empty one as the library makes it: the command takes no session without items. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSession } from '../../core';
import { reportPage, sessionReport } from '../../core/report';
import type { Report } from '../../core/report';
import { assistantMessage, userMessage } from '../../core/testing';
import { commandFile, pith, ROOT } from '../cli/command';
import { freshFolder } from '../cli/sessions';
import { start } from '../support/kernel';
import { writeHostileSession } from './hostile-session';
import { writeLargeSession } from './large-session';

export interface MadeReport {
  /** The address of its file. */
  readonly url: string;
  /** What it shows. */
  readonly report: Report;
}

const EXAMPLE = join(ROOT, 'examples/sessions/csv-import.jsonl');

const MAKERS = {
  'a session': () => written('inspect', EXAMPLE),
  'a session that is compacted': () => written('compact', EXAMPLE),
  'a large session': async () => written('inspect', await writeLargeSession(freshFolder())),
  'a hostile session': () => written('inspect', writeHostileSession(freshFolder())),
  'a hostile session that is compacted': () => written('compact', writeHostileSession(freshFolder())),
  'a session of one request': () => written('inspect', writeShortSession()),
  'an empty session': emptyReport,
};

export type ReportName = keyof typeof MAKERS;
export const REPORTS = Object.keys(MAKERS) as readonly ReportName[];

beforeAll(() => void commandFile(), 120_000);

const made = new Map<ReportName, Promise<MadeReport>>();

/** A report, made once for all tests of a file. */
export function reportOf(name: ReportName): Promise<MadeReport> {
  const report = made.get(name) ?? MAKERS[name]();
  made.set(name, report);
  return report;
}

async function written(command: 'inspect' | 'compact', file: string): Promise<MadeReport> {
  const out = join(freshFolder(), 'report.html');
  const { code, stderr } = await pith([command, file, '--html', out]);
  if (code !== 0) throw new Error(`pith ${command} --html ended with ${String(code)}: ${stderr}`);
  const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(readFileSync(out, 'utf8'))?.[1];
  return { url: pathToFileURL(out).href, report: JSON.parse(data ?? 'null') as Report };
}

function writeShortSession(): string {
  const session = createSession({ id: 'short', now: () => 0 });
  session.append([userMessage('Where is the harbour?'), assistantMessage('At the end of the street.')]);
  session.record({ t: 'usage', usage: { inputTokens: 1_200, outputTokens: 9 } });
  const path = join(freshFolder(), 'short.jsonl');
  writeFileSync(path, [...session.records()].map((record) => `${JSON.stringify(record)}\n`).join(''));
  return path;
}

async function emptyReport(): Promise<MadeReport> {
  await using host = await start();
  const report = sessionReport(host.open([]), { kernel: host.kernel });
  const out = join(freshFolder(), 'report.html');
  writeFileSync(out, reportPage(report));
  return { url: pathToFileURL(out).href, report };
}
