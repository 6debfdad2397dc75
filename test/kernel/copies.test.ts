import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';

const ROOT = resolve(__dirname, '../..');

/** Two copies of the core in folders of their own, each loaded by its own path in one fresh process. */
describe('two copies of the package in one process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pith-copies-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('work together and are reported', () => {
    for (const copy of ['one', 'two']) {
      for (const room of ['bus', 'kernel', 'errors.ts']) {
        cpSync(join(ROOT, 'core', room), join(folder, copy, 'core', room), { recursive: true });
      }
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const script = `
      const at = (copy, file) => require(${JSON.stringify(folder)} + '/' + copy + '/core/' + file);
      const two = { ...at('two', 'kernel/kernel'), ...at('two', 'kernel/plugin') };
      const T = at('two', 'kernel/token').createToken('test/t');
      const lines = [];
      const log = { level: 'debug', write: ({ message, fields }) => lines.push({ message, copies: (fields.copies ?? []).length }) };
      const hooks = [{ name: 'test_step', onError: 'skip', may: [] }];
      const plugin = two.definePlugin({ name: 'p', api: 1, provides: [T], setup(ctx) {
        ctx.provide(T, () => 'from two');
        ctx.hooks.on('test_step', () => { throw new (at('two', 'errors').PithError)('PITH_USAGE', 'of two'); });
      } });
      (async () => {
        const kernel = await at('one', 'kernel/kernel').startKernel({ plugins: [plugin], hooks, log });
        const { errors } = await kernel.dispatch('test_step', {});
        const { PithError } = at('one', 'errors');
        const served = kernel.get(at('one', 'kernel/token').createToken('test/t'));
        console.log(JSON.stringify({ served, known: PithError.is(errors[0].error.cause, 'PITH_USAGE'), lines: lines.slice(0, 1) }));
        await kernel.stop();
      })();`;
    const run = spawnSync(process.execPath, ['-r', 'ts-node/register/transpile-only', '-e', script], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, TS_NODE_PROJECT: join(ROOT, 'tsconfig.json'), TS_NODE_SKIP_IGNORE: 'true' },
    });
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual({
      served: 'from two',
      known: true,
      lines: [{ message: expect.stringContaining('copies of Pith') as string, copies: 2 }],
    });
  });
});
