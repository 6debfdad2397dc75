/** The plugin `guard`: what is never read automatically, what is masked, and how far a compact worker may go (S9.7). */
import { configKeys, definePlugin, FILE_SOURCE, type Deny, type Json } from '../../core/index';
import { maskSecrets } from './secrets';
import { sensitivePaths } from './sensitive-paths';
import { GUARD, type Guard } from './token';
import { guardWorkers } from './worker-guard';

export { GUARD } from './token';
export type { Guard } from './token';

export default definePlugin({
  name: 'guard',
  api: 1,
  section: 'compaction',
  config: configKeys({
    never_auto_read: {
      type: 'strings',
      default: [],
      doc: 'Files that are never read automatically, beside environment, key and credential files; patterns as in `.gitignore`.',
    },
  }),
  needs: { files: FILE_SOURCE },
  provides: [GUARD],
  setup({ config, needs: { files }, hooks, provide }) {
    const sensitive = sensitivePaths(config.neverAutoRead);
    const guard: Guard = {
      neverAutoRead: (path) => sensitive(path) ?? sensitive(files.display(path)),
      mask: maskSecrets,
    };
    provide(GUARD, () => guard);
    hooks.on(
      'pre_tool_call',
      function refuseSensitiveFiles({ call, arguments: args }): Deny | undefined {
        if (call.name !== 'read_file' && call.name !== 'mark_read_required') return undefined;
        const path = pathOf(args);
        const reason = path === undefined ? undefined : guard.neverAutoRead(path);
        if (path === undefined || reason === undefined) return undefined;
        return {
          do: 'deny',
          text: `Error: ${files.display(path)} is never read automatically: ${reason}. Use add_reference to name it.`,
        };
      },
      { roles: ['compact-worker'] },
    );
    guardWorkers(hooks);
  },
});

function pathOf(args: Json): string | undefined {
  const { path } = (args ?? {}) as { readonly path?: unknown };
  return typeof path === 'string' ? path : undefined;
}
