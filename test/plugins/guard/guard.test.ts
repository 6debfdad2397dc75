import {
  callTool,
  createDiskFiles,
  createKernel,
  createSession,
  defaultService,
  defineTool,
  FILE_SOURCE,
  type Json,
} from '../../../core/index';
import guardPlugin from '../../../plugins/guard';
import { sensitivePaths } from '../../../plugins/guard/sensitive-paths';
import { GUARD } from '../../../plugins/guard/token';
import { folderWith } from '../../files/folder';

describe('files that are never read automatically', () => {
  const reason = sensitivePaths([]);

  test.each([
    '.env',
    '.env.local',
    '.env.example',
    '.envrc',
    'deploy/prod.env',
    'C:\\work\\.env',
    'id_rsa',
    'keys/id_ed25519_work',
    '/home/me/.ssh/config',
    '.ssh/known_hosts',
    '~/.aws/config',
    '.kube/config',
    'home/.config/gcloud/x.db',
    'cert.pem',
    'Server.KEY',
    'store.p12',
    'app.jks',
    '.npmrc',
    '.netrc',
    '_netrc',
    '.git-credentials',
    'credentials',
    'credentials.json',
    'config/credentials.yml.enc',
    'my-secrets.yaml',
    'secrets.toml',
    'service-account.json',
    'gcp_service_account-prod.json',
    'client_secret_123.json',
    'terraform.tfstate',
    'prod.tfvars',
    'kubeconfig',
    'vault.kdbx',
  ])('%s', (path) => {
    expect(reason(path)).toMatch(/^(?:an?|in) /);
  });

  test.each([
    'src/app.ts',
    'environment.ts',
    'env.ts',
    'src/env/index.ts',
    'id_rsa.pub',
    'src/credentials.ts',
    'src/secrets/store.ts',
    'docs/secrets.md',
    'keyboard.ts',
    'key.ts',
    'npmrc.md',
    'service-account.ts',
    'ssh/config.ts',
    'package.json',
    'tsconfig.json',
    '',
    '.',
    '../x',
  ])('but %j may be', (path) => {
    expect(reason(path)).toBeUndefined();
  });

  test('are also those that never_auto_read names', () => {
    const own = sensitivePaths(['/private/', '*.csv', '!public.csv', 'docs/**/draft.md']);
    for (const path of ['private/a.txt', 'x/y.csv', '/abs/y.csv', '../../y.csv', 'docs/a/b/draft.md']) {
      expect([path, own(path)]).toEqual([path, 'named by never_auto_read']);
    }
    for (const path of ['src/private/a.txt', 'x/public.csv', 'draft.md'])
      expect([path, own(path)]).toEqual([path, undefined]);
  });
});

describe('the plugin guard', () => {
  const start = async (root: string) => {
    const kernel = await createKernel({
      plugins: [guardPlugin],
      config: { compaction: { neverAutoRead: ['/notes/'] } },
      defaults: [defaultService(FILE_SOURCE, () => createDiskFiles({ root }))],
    });
    const session = createSession({ id: 's', services: (one) => kernel.scope(one) });
    const tools = ['read_file', 'mark_read_required', 'add_reference'].map((name) =>
      defineTool({
        name,
        description: 'x',
        input: { type: 'object' },
        kind: 'read',
        roles: ['main', 'compact-worker'],
        run: () => 'ran',
      }),
    );
    const call = async (role: string, name: string, args: Json): Promise<string> => {
      const item = { id: 'x', kind: 'tool_call' as const, callId: 'x', name, arguments: args };
      const { result } = await callTool(kernel, {
        session,
        role,
        tools,
        call: item,
        signal: new AbortController().signal,
      });
      return result.isError === true ? result.summary : 'ran';
    };
    return { kernel, call };
  };

  test('refuses them to the compact worker, says why and what to do instead', async () => {
    const root = folderWith({ 'notes/a.md': 'x', '.env': 'x', 'b.md': 'x' });
    const { kernel, call } = await start(root);
    const denied = (path: string, why: string) =>
      `Error: ${path} is never read automatically: ${why}. Use add_reference to name it.`;
    for (const tool of ['read_file', 'mark_read_required']) {
      expect(await call('compact-worker', tool, { path: `${root}/notes/a.md` })).toBe(
        denied('notes/a.md', 'named by never_auto_read'),
      );
      expect(await call('compact-worker', tool, { path: './.env' })).toBe(denied('.env', 'an environment file'));
      expect(await call('compact-worker', tool, { path: 'b.md' })).toBe('ran');
      expect(await call('compact-worker', tool, { path: 3 })).toBe('ran');
      expect(await call('main', tool, { path: '.env' })).toBe('ran');
    }
    expect(await call('compact-worker', 'add_reference', { path: '.env' })).toBe('ran');
    await kernel.stop();
  });

  test('is a service for whoever reads files or writes down texts', async () => {
    const { kernel } = await start(folderWith());
    const guard = kernel.get(GUARD);
    expect(guard.neverAutoRead('a/.env')).toBe('an environment file');
    expect(guard.mask('DB_PASSWORD=hunter2')).toBe('DB_PASSWORD=[masked]');
    await kernel.stop();
  });
});
