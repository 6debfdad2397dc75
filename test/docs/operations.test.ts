/** `docs/operations.md` and `docs/security.md` say what is so. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from 'nats';
import { metricsText } from '../../core/cli/worker-metrics';
import { WorkerCounts } from '../../core/cli/worker-counts';
import { loadManifest } from '../../core/manifest';
import { stockPlugins } from '../../plugins';
import { compactJob } from '../../plugins/compaction/protocol';
import { pith, ROOT } from '../cli/command';
import { blocksOf } from './blocks';

const EXAMPLE = join(ROOT, 'examples/remote-worker');
const example = (file: string): string => readFileSync(join(EXAMPLE, file), 'utf8');
const page = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const unit = example('pith-worker.service');
const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pith-operations-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('docs/operations.md', () => {
  it.each(['user-password.conf', 'tls-nkeys.conf', 'tenants.conf', 'pith-worker.service', 'alerts.yml'])(
    'shows %s as it is',
    (file) => {
      expect(page).toContain(`\n${example(file)}\`\`\`\n`);
    },
  );

  it('has manifests without a fault', async () => {
    const manifests = [...blocksOf('docs/operations.md', 'toml'), ...blocksOf('docs/security.md', 'toml')];
    for (const manifest of [...manifests, example('worker.toml')]) {
      const path = join(folder, 'pith.toml');
      writeFileSync(path, manifest);
      const { warnings } = await loadManifest({ path, stock: stockPlugins, env: {} });
      expect(warnings).toEqual([]);
    }
  });

  it('makes pairs of keys that belong together', () => {
    const block = blocksOf('docs/operations.md', 'sh').find((text) => text.includes('nkeys.createUser')) ?? '';
    // Beside the package, where its dependencies are found.
    const script = /node -e '\n(.*)'\n/s.exec(block)?.[1] ?? '';
    const inFolder = `process.chdir(${JSON.stringify(folder)});${script}`;
    const key = execFileSync(process.execPath, ['-e', inFolder], { cwd: ROOT, encoding: 'utf8' }).trim();
    const seed = join(folder, 'worker-1.nk');
    expect(nkeys.fromSeed(readFileSync(seed)).getPublicKey()).toBe(key);
    expect(statSync(seed).mode & 0o777).toBe(0o600);
  });

  it('alerts on metrics that there are', () => {
    const facts = { labels: {}, capacity: 1, isReady: true, isConnected: true, reconnects: 0, rateLimitWaits: 0 };
    const memory = { rss: 0, heapUsed: 0 };
    const text = metricsText(new WorkerCounts(), { ...facts, uptimeSeconds: 0, memory, cpu: { user: 0, system: 0 } });
    const told = new Set([...text.matchAll(/^(pith_worker_\w+)/gm)].map(([, name]) => name));
    const named = [...page.matchAll(/\bpith_worker_\w+/g)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(10);
    expect([...new Set(named)].filter((name) => !told.has(name) && !told.has(`${name}_count`))).toEqual([]);
    const outcomes = [...page.matchAll(/outcome="([\w-]+)"/g)].map(([, outcome]) => `outcome="${String(outcome)}"`);
    for (const outcome of outcomes) expect(text).toContain(outcome);
  });

  it('starts workers with options that there are', async () => {
    const { stdout: help } = await pith(['worker', '--help']);
    const [kubernetes = ''] = blocksOf('docs/operations.md', 'yaml').filter((text) => text.includes('StatefulSet'));
    for (const text of [setting('ExecStart'), kubernetes, ...blocksOf('docs/operations.md', 'sh')])
      for (const [, option = ''] of text.matchAll(/[ ,](--[a-z-]+)\b/g)) expect(help).toContain(option);
  });
});

describe('the unit of a worker', () => {
  it('gives jobs the time that they are promised', () => {
    const grace = Number(/--grace (\d+)/.exec(setting('ExecStart'))?.[1]);
    expect(Number(setting('TimeoutStopSec'))).toBeGreaterThan(grace + 5);
    expect(setting('KillSignal')).toBe('SIGTERM');
    expect(setting('KillMode')).toBe('mixed');
  });

  it('has no file system, no other user, and its credentials from the system', () => {
    expect(setting('DynamicUser')).toBe('yes');
    expect(setting('ProtectSystem')).toBe('strict');
    expect(setting('ProtectHome')).toBe('yes');
    expect(setting('LoadCredential')).toMatch(/^nats\.nk:/);
    expect(setting('ExecStart')).toContain('--nkey %d/nats.nk');
  });

  const analyze = ['/usr/bin/systemd-analyze', '/bin/systemd-analyze'].find((path) => existsSync(path));
  (analyze === undefined ? it.skip : it)('is one that systemd takes', () => {
    // The command need not be installed where this is checked.
    const path = join(folder, 'pith-worker.service');
    writeFileSync(path, unit.replace('/usr/bin/pith', '/usr/bin/env pith'));
    const { status, stderr } = spawnSync(String(analyze), ['verify', '--man=no', path], { encoding: 'utf8' });
    expect([status, stderr.split('\n').filter((line) => line.includes('pith-worker'))]).toEqual([0, []]);
  });
});

describe('docs/security.md', () => {
  it('tells of every field of a job', () => {
    const security = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
    const table = security.slice(security.indexOf('### The job'), security.indexOf('### The answers'));
    const named = new Set([...table.matchAll(/`(\w+)(?:\.\w+)?`/g)].map(([, name]) => name));
    expect(Object.keys(compactJob.shape).filter((field) => !named.has(field))).toEqual([]);
  });
});
