/** The plugin `instructions`: pins AGENTS.md and the like, so that every context begins with them (S5.1). */
import { configKeys, CONTEXT, definePlugin, FILE_SOURCE, PithError, readNamedFile } from '../../core/index';
import type { FileSource, Unreadable } from '../../core/index';

/** Bytes of a file of instructions at most; what tokens it may take is the business of pinning. */
const MOST_BYTES = 1024 * 1024;

export default definePlugin({
  name: 'instructions',
  api: 1,
  config: configKeys({
    files: {
      type: 'strings',
      default: ['AGENTS.md'],
      doc: 'Files whose text stands behind the system prompt in every context, relative to the root; those that do not exist are passed over.',
    },
  }),
  needs: { files: FILE_SOURCE },
  setup({ config, needs: { files }, hooks, log }) {
    hooks.on('session_start', async function pinInstructions({ session }) {
      const tooLarge: string[] = [];
      for (const path of new Set(config.files.map((file) => files.display(file)))) {
        const text = await instructionsOf(files, path);
        if (typeof text !== 'string') {
          if (text.reason !== 'not-found') log.warn('instructions cannot be read', { path, reason: text.reason });
          continue;
        }
        if (text.trim() === '') continue;
        try {
          session
            .get(CONTEXT)
            .pin({ text: `[Instructions of ${path}]\n${text.trimEnd()}`, key: `instructions:${path}` });
        } catch (cause) {
          if (!PithError.is(cause, 'PITH_PINS_TOO_LARGE')) throw cause;
          tooLarge.push(`${path} is not pinned: ${cause.message}`);
        }
      }
      if (tooLarge.length > 0) throw new PithError('PITH_PINS_TOO_LARGE', tooLarge.join(' '));
    });
  },
});

async function instructionsOf(files: FileSource, path: string): Promise<string | { readonly reason: Unreadable }> {
  const read = await readNamedFile(files, path);
  if (!read.ok) return { reason: read.reason };
  if (read.known !== undefined) return { reason: 'not-found' };
  return Buffer.byteLength(read.text) > MOST_BYTES ? { reason: 'too-large' } : read.text;
}
