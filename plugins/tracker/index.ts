/** The plugin `tracker`: remembers which files the agent touched (S7). */
import { configKeys, definePlugin, FILE_SOURCE, type Session } from '../../core/index';
import { createTracker } from './recency';
import { touchedFiles } from './replay';
import { TRACKER } from './token';

export { TRACKER } from './token';
export type { Tracker } from './token';

export default definePlugin({
  name: 'tracker',
  api: 1,
  config: configKeys({
    capacity: {
      type: 'integer',
      unit: 'files',
      min: 1,
      default: 20,
      doc: 'How many files are remembered, newest first.',
    },
  }),
  needs: { files: FILE_SOURCE },
  provides: [TRACKER],
  setup({ config, needs: { files }, hooks, provide }) {
    const canonical = (path: string): string => files.canonical(path);
    provide(TRACKER, (session) => {
      const tracker = createTracker(config.capacity, canonical);
      for (const path of touchedFiles(session as Session, config.capacity, canonical)) tracker.record(path);
      return tracker;
    });
    hooks.on(
      'post_tool_call',
      function recordTouchedFiles({ session, result, paths }) {
        if (result.isError === true) return;
        const tracker = session.get(TRACKER);
        for (const path of paths) tracker.record(path);
      },
      { roles: ['main', 'compact-worker'] },
    );
  },
});
