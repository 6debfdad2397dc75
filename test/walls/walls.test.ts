import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** A small tree in which every import is allowed. */
const TREE: Readonly<Record<string, string>> = {
  'core/errors.ts': 'export const code = 1;',
  'core/bus/bus.ts': "export { code } from '../errors';",
  'core/bus/nats/link.ts': "import 'nats'; export const nats = 1;",
  'core/kernel/kernel.ts': "export { code } from '../bus/bus';",
  'core/kernel/services.ts': "import 'reflect-metadata'; import 'tsyringe'; export const services = 1;",
  'core/kernel/type-a.ts': "import type { B } from './type-b'; export type A = B | 1; export const a = 1;",
  'core/kernel/type-b.ts': "import type { A } from './type-a'; export type B = A | 2; export const b = 1;",
  'core/session/session.ts': "export { code } from '../kernel/kernel';",
  'core/files/files.ts': "export { code } from '../session/session';",
  'core/tokens/tokens.ts': "export { code } from '../session/session';",
  'core/context/view.ts': "export { code } from '../tokens/tokens';",
  'core/context/project.ts': "export { code } from './view';",
  'core/llm/client.ts': "export { code } from '../tokens/tokens';",
  'core/manifest/manifest.ts': "export { code } from '../kernel/kernel';",
  'core/agent/agent.ts': "export { code } from '../context/view'; export { code as other } from '../llm/client';",
  'core/index.ts': "export { code } from './agent/agent';",
  'core/formats/format.ts':
    "export { code } from '../session/session'; import type { code as view } from '../context/view'; export type V = typeof view;",
  'core/testing/kit.ts': "export { code } from '../agent/agent';",
  'core/report/report.ts': "export { code } from '../index'; export { code as other } from '../agent/agent';",
  'core/adapters/host.ts': "export { code } from '../index'; export { plugins } from '../../plugins/index';",
  'core/cli/main.ts':
    "export { code } from '../formats/format'; export { other } from '../report/report'; export { plugins } from '../../plugins/index';",
  'plugins/index.ts': "export const plugins = () => import('./one/index');",
  'plugins/one/index.ts':
    "export { code } from '../../core/index'; export { token } from '../two/token'; import './part';",
  'plugins/one/part.ts': 'export const part = 1;',
  'plugins/two/index.ts': "export { token } from './token'; export { tokens } from '../three/tokens';",
  'plugins/two/token.ts': 'export const token = 1;',
  'plugins/three/tokens.ts': 'export const tokens = 1;',
  'plugins/three/index.ts': 'export const three = 1;',
};

/** Imports that must be refused: where, what, and by which wall. */
const PLANTED: readonly (readonly [from: string, imports: string, wall: string])[] = [
  ['core/errors.ts', './bus/bus', 'errors-imports-down'],
  ['core/bus/planted.ts', '../kernel/kernel', 'bus-imports-down'],
  ['core/kernel/planted.ts', '../session/session', 'kernel-imports-down'],
  ['core/kernel/planted-index.ts', '../index', 'kernel-imports-down'],
  ['core/session/planted.ts', '../tokens/tokens', 'session-imports-down'],
  ['core/session/planted-files.ts', '../files/files', 'session-imports-down'],
  ['core/files/planted.ts', '../tokens/tokens', 'files-imports-down'],
  ['core/tokens/planted.ts', '../context/view', 'tokens-imports-down'],
  ['core/context/planted.ts', '../agent/agent', 'context-imports-down'],
  ['core/context/planted-llm.ts', '../llm/client', 'context-imports-down'],
  ['core/llm/planted.ts', '../agent/agent', 'llm-imports-down'],
  ['core/manifest/planted.ts', '../session/session', 'manifest-imports-down'],
  ['core/agent/planted.ts', '../index', 'agent-imports-down'],
  ['core/agent/planted-formats.ts', '../formats/format', 'agent-imports-down'],
  ['core/formats/planted.ts', '../context/project', 'formats-imports-down'],
  ['core/formats/planted-agent.ts', '../agent/agent', 'formats-imports-down'],
  ['core/testing/planted.ts', '../formats/format', 'testing-imports-down'],
  ['core/testing/planted-cli.ts', '../cli/main', 'testing-imports-down'],
  ['core/report/planted.ts', '../formats/format', 'report-imports-down'],
  ['core/report/planted-cli.ts', '../cli/main', 'report-imports-down'],
  ['core/report/planted-plugin.ts', '../../plugins/index', 'core-knows-no-plugin'],
  ['core/agent/planted-report.ts', '../report/report', 'agent-imports-down'],
  ['core/adapters/planted-report.ts', '../report/report', 'adapters-imports-down'],
  ['core/adapters/planted.ts', '../cli/main', 'adapters-imports-down'],
  ['core/cli/planted.ts', '../adapters/host', 'cli-imports-down'],
  ['core/cli/planted-kit.ts', '../testing/kit', 'cli-imports-down'],
  ['core/index.ts', './cli/main', 'index-imports-down'],
  ['core/index.ts', './testing/kit', 'index-imports-down'],
  ['core/index.ts', './formats/format', 'index-imports-down'],
  ['core/index.ts', './adapters/host', 'index-imports-down'],
  ['core/index.ts', '../plugins/one/index', 'core-knows-no-plugin'],
  ['core/agent/planted-plugin.ts', '../../plugins/index', 'core-knows-no-plugin'],
  ['core/attic/planted.ts', '../errors', 'known-rooms'],
  ['plugins/one/planted.ts', '../../core/kernel/kernel', 'plugins-use-the-public-entry'],
  ['plugins/one/planted-testing.ts', '../../core/testing/kit', 'plugins-use-the-public-entry'],
  ['plugins/one/planted-other.ts', '../two/index', 'plugins-meet-by-token'],
  ['plugins/one/planted-list.ts', '../index', 'plugins-meet-by-token'],
  ['plugins/one/planted-container.ts', 'tsyringe', 'container-in-services-only'],
  ['core/kernel/planted-container.ts', 'tsyringe', 'container-in-services-only'],
  ['core/kernel/planted-metadata.ts', 'reflect-metadata', 'container-in-services-only'],
  ['core/bus/planted-nats.ts', 'nats', 'nats-in-its-bus-only'],
  ['core/agent/planted-nats.ts', '@nats-io/nats-core', 'nats-in-its-bus-only'],
];

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

describe('the walls', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pith-walls-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function plant(tree: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), `${text}\n`);
    }
  }

  function violations(): readonly Violation[] {
    const run = spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
        '--config',
        '.config/walls.cjs',
        '--output-type',
        'json',
        'core',
        'plugins',
      ],
      { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 },
    );
    if (run.stdout === '') throw new Error(run.stderr);
    return (JSON.parse(run.stdout) as { summary: { violations: readonly Violation[] } }).summary.violations;
  }

  beforeAll(() => {
    cpSync(join(ROOT, '.config/walls.cjs'), join(folder, '.config/walls.cjs'));
    cpSync(join(ROOT, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    plant(TREE);
  });

  it('let a tree pass in which imports point down', () => {
    expect(violations()).toEqual([]);
  });

  it('refuse each forbidden import, as value or as type, and cycles', () => {
    const planted = new Map<string, string[]>();
    for (const [from, imports] of PLANTED) planted.set(from, [...(planted.get(from) ?? []), imports]);
    plant(
      Object.fromEntries(
        [...planted].map(([from, imports]) => {
          const lines = imports.map((path, at) =>
            at % 2 === 0 ? `import type * as p${String(at)} from '${path}';` : `import '${path}';`,
          );
          return [
            from,
            [
              ...lines,
              ...imports.map((_, at) => (at % 2 === 0 ? `export type T${String(at)} = typeof p${String(at)};` : '')),
              TREE[from] ?? '',
            ].join('\n'),
          ];
        }),
      ),
    );
    plant({
      'core/kernel/cycle-a.ts': "import './cycle-b'; export const a = 1;",
      'core/kernel/cycle-b.ts': "import './cycle-a'; export const b = 1;",
    });
    const found = violations();
    const missed = PLANTED.filter(
      ([from, imports, wall]) =>
        !found.some(
          (violation) =>
            violation.from === from &&
            violation.rule.name === wall &&
            violation.to.includes(imports.replace(/^[./]+/, '')),
        ),
    );
    expect(missed).toEqual([]);
    const cycles = found.filter(({ rule }) => rule.name === 'no-cycles').map(({ from }) => from);
    expect(cycles.some((from) => from.startsWith('core/kernel/cycle-'))).toBe(true);
  });
});
