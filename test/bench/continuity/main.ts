import { parseArgs } from 'node:util';
import { newest, pathsOnly, recencyWeighted, recentFiles } from './baselines';
import { corpusOf } from './corpus';
import { MEASURES } from './measures';
import { oracle } from './oracle';
import { pith } from './pith';
import { replay } from './replay';
import type { Budget, Row } from './replay';
import { bySession, estimate } from './statistics';

export async function main(args: readonly string[]): Promise<void> {
  const { values: flags } = parseArgs({ args: [...args], options: { sessions: { type: 'string' }, every: { type: 'string', default: '8000' }, horizon: { type: 'string', default: '25' } , tokens:{type:'string',default:'20000,10000,defaults'}} });
  const budgets = flags.tokens.split(',').map((x): Budget => (x === 'defaults' ? x : Number(x)));
  const rows: Row[] = [];
  for (const session of await corpusOf(flags.sessions ?? ''))
    rows.push(...(await replay(session, { budgets, horizons: flags.horizon.split(',').map(Number), every: Number(flags.every), policies: (b) => new Map([
      ['pith', pith(b === 'defaults' ? {} : { split: { tail: 0.2, read: 0.68, summary: 0.12 } })],
      ['newest-N', newest], ['recency-5', recentFiles], ['paths-only', pathsOnly], ['recency', recencyWeighted], ['oracle', oracle]]) })));
  for (const b of budgets) for (const p of ['pith', 'newest-N', 'recency-5', 'paths-only', 'recency', 'oracle']) {
    const of = rows.filter((r) => r.budget === b && r.policy === p);
    console.log(String(b).padEnd(9), p.padEnd(11), MEASURES.map((m) => { const e = estimate([...bySession(of, (r) => r.measured[m]).values()]); return (e === undefined ? '-' : m === 'tokens' ? e.mean.toFixed(0) : `${e.mean.toFixed(2)}(${e.n})`).padStart(9); }).join(''), of.length, 'over', of.filter((r) => (r.measured.tokens ?? 0) > r.given).length);
  }
}
