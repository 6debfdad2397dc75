/** `[transport] remote_file_reads`: from the manifest to the desk, for workers in other processes alone. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentFromManifest, COMPACT_POOL, createKernel, defaultService } from '../../../core';
import { loadManifest } from '../../../core/manifest';
import { stockPlugins } from '../../../plugins';
import { serveCompactWorker } from '../../../plugins/compaction';
import { assistant, call, prose, result, user } from '../../support/context';
import { compact, start } from '../../support/kernel';
import { summaryOf, USED } from '../../support/worker';
import { workerOf } from './remote-kit';

const SECRET = 'the recipe of the house';
const history = [
  user('please port it'),
  call('a', 'read_file', { path: 'src/a.ts' }),
  result('a', `1\t${SECRET}\n`),
  ...Array.from({ length: 30 }, (_, at) => [call(`c${at}`), result(`c${at}`, prose(1000))]).flat(),
  assistant('half done'),
];
const LOOKS = [
  ['read_file', { path: 'src/a.ts' }],
  ['read_history', { from: 0, limit: 3, detail: 'full' }],
  ['search_history', { query: 'recipe house' }],
] as const;

/** What a remote worker gets to see at a desk that shows contents, or does not. */
async function seenRemotely(readsFiles: boolean | undefined): Promise<string> {
  const pool = { tenant: 'default', pool: 'default', ...(readsFiles !== undefined && { readsFiles }) };
  const told: string[] = [];
  await using host = await start({
    services: [defaultService(COMPACT_POOL, () => pool)],
    config: { compaction: { worker: 'remote', fallback: 'none' } },
  });
  serveCompactWorker(
    host.kernel.bus,
    workerOf(async (_job, desk, { signal }) => {
      for (const [tool, args] of LOOKS) told.push(JSON.stringify(await desk.call(tool, args, signal)));
      await desk.call('write_summary', { text: summaryOf('Ported.') }, signal);
      return USED;
    }),
  );
  expect(await compact(host, host.open(history))).toMatchObject({ outcome: 'done', worker: 'remote' });
  return told.join('\n');
}

describe('remote_file_reads', () => {
  it.each([
    [true, 'remote_file_reads = true'],
    [true, ''],
    [false, 'remote_file_reads = false'],
  ])('is %s with "%s"', async (expected, line) => {
    const folder = mkdtempSync(join(tmpdir(), 'pith-reads-'));
    try {
      const path = join(folder, 'pith.toml');
      const text = ['[transport]', 'kind = "nats"', 'servers = ["nats://127.0.0.1:1"]', line].join('\n');
      writeFileSync(path, text);
      const { defaults = [] } = await agentFromManifest(await loadManifest({ path, stock: stockPlugins, env: {} }));
      await using kernel = await createKernel({ plugins: [], defaults });
      expect(kernel.get(COMPACT_POOL).readsFiles).toBe(expected);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each([undefined, true])('lets remote workers see contents (%s)', async (readsFiles) => {
    expect(await seenRemotely(readsFiles)).toContain(SECRET);
  });

  it('= false keeps contents on the side of the agent', async () => {
    const seen = await seenRemotely(false);
    expect(seen).not.toContain(SECRET);
    expect(seen).toContain('Contents of files are not shown to this worker');
    expect(seen).toContain('please port it');
  });
});
