/** The benchmark of continuity as a command. */
import { parseArgs } from 'node:util';
import { newest, pathsOnly, recencyWeighted, recentFiles } from './baselines';
import { corpusOf } from './corpus';
import type { RealSession } from './corpus';
import { biggestMisses } from './misses';
import { oracle } from './oracle';
import type { Policy } from './policy';
import { replay } from './replay';
import type { Budget, Row } from './replay';
import { heldOutText, missesText, sessionsText, summaryText } from './report';
import { pithWith, readSettings } from './settings';
import type { Settings } from './settings';
import { heldOut, summarise } from './summary';

const USAGE = `Replays sessions: how much of what an agent needed next stands in its compacted context?

  npm run bench:continuity -- --sessions DIR [options]

  --sessions DIR      the folder of session files; PITH_SESSIONS names it, too
  --tokens LIST       budgets: numbers, or "defaults" (20000,10000,defaults)
  --horizon LIST      tool calls to look ahead (25)
  --every N           tokens between two cuts inside of turns (4000)
  --policies LIST     only these, e.g. pith,newest-N,oracle; the first is compared with the others
  --manifest FILE     one more policy "manifest": its worker and model
  --settings FILE     settings by name in JSON, chosen and measured with one session left out in turn
  --each              the means of each session
  --misses N          the N biggest misses of each kind
  --json              all of it as JSON
`;

const BASELINES: ReadonlyMap<string, Policy> = new Map([
  ['newest-N', newest],
  ['recency-5', recentFiles],
  ['paths-only', pathsOnly],
  ['recency', recencyWeighted],
  ['oracle', oracle],
]);

/** Runs the benchmark and prints what it found; returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const { values: flags } = parseArgs({
    args: [...args],
    options: {
      sessions: { type: 'string' },
      tokens: { type: 'string', default: '20000,10000,defaults' },
      horizon: { type: 'string', default: '25' },
      every: { type: 'string', default: '4000' },
      policies: { type: 'string' },
      manifest: { type: 'string' },
      settings: { type: 'string' },
      each: { type: 'boolean', default: false },
      misses: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const folder = flags.sessions ?? process.env['PITH_SESSIONS'];
  if (flags.help || folder === undefined) {
    console.log(flags.help ? USAGE : 'Name the folder of session files: --sessions DIR, or PITH_SESSIONS.');
    return flags.help ? 0 : 2;
  }
  const settings = flags.settings === undefined ? new Map<string, Settings>() : readSettings(flags.settings);
  const chosen = flags.policies?.split(',');
  const policies = (budget: Budget): ReadonlyMap<string, Policy> => {
    const all = new Map([
      ['pith', pithWith({}, budget)],
      ...(flags.manifest === undefined ? [] : [['manifest', pithWith({}, budget, flags.manifest)] as const]),
      ...[...settings].map(([name, of]) => [name, pithWith(of, budget)] as const),
      ...BASELINES,
    ]);
    return chosen === undefined ? all : new Map(chosen.map((name) => [name, known(all, name)]));
  };
  const sessions = await corpusOf(folder);
  const rows: Row[] = [];
  for (const session of sessions)
    rows.push(
      ...(await replay(session, {
        budgets: flags.tokens.split(',').map((budget) => (budget === 'defaults' ? budget : numberOf(budget))),
        horizons: flags.horizon.split(',').map(numberOf),
        every: numberOf(flags.every),
        policies,
      })),
    );
  if (rows.length === 0) {
    console.log('No session has enough file operations before and behind a place with enough tokens before it.');
    return 1;
  }
  const most = flags.misses === undefined ? 0 : numberOf(flags.misses);
  print(rows, sessions, { ...flags, most, settings: ['pith', ...settings.keys()] });
  return 0;
}

interface Printed {
  readonly json: boolean;
  readonly each: boolean;
  /** Misses of each kind. */
  readonly most: number;
  /** Policies that are Pith with some settings. */
  readonly settings: readonly string[];
}

function print(rows: readonly Row[], sessions: readonly RealSession[], { json, each, most, settings }: Printed): void {
  const summaries = summarise(rows);
  const folds = settings.length > 1 ? heldOut(rows, settings) : [];
  const first = rows[0]?.policy;
  const shown = rows.filter(({ policy, budget, horizon }) => {
    const group = summaries[0];
    return policy === first && budget === group?.budget && horizon === group.horizon;
  });
  const misses = most === 0 ? [] : biggestMisses(shown, sessions, most);
  if (json) {
    const plain = rows.map(({ misses: _misses, ...row }) => row);
    console.log(JSON.stringify({ summaries, folds, misses, rows: plain }, null, 2));
    return;
  }
  const parts = summaries.map(summaryText);
  if (each) parts.push(sessionsText(shown));
  if (folds.length > 0) parts.push(heldOutText(folds));
  if (misses.length > 0) parts.push(missesText(misses));
  console.log(parts.join('\n\n'));
}

function known(policies: ReadonlyMap<string, Policy>, name: string): Policy {
  const policy = policies.get(name);
  if (policy === undefined)
    throw new Error(`There is no policy ${name}; there are ${[...policies.keys()].join(', ')}.`);
  return policy;
}

function numberOf(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`"${text}" is no positive number.`);
  return value;
}
