// The plugin `redaction`, in plain JavaScript: no build, no types but those in comments.
const { configKeys, definePlugin, FILE_SOURCE, LOG_SINK } = require('pith');
const { createMask } = require('./mask');
const { maskedFiles, maskedItem, maskedLog, maskedResult, maskedValue } = require('./places');

/** Tool calls of the agent and of its compact worker, after what other plugins made of them. */
const BOTH = { roles: ['main', 'compact-worker'], order: /** @type {const} */ ('last') };

module.exports = definePlugin({
  name: 'redaction',
  api: 1,
  config: configKeys({
    variables: {
      type: 'strings',
      default: [],
      doc: 'Names of environment variables whose values are secrets.',
    },
    prefixes: {
      type: 'strings',
      default: ['ghp_', 'github_pat_', 'glpat-', 'sk-', 'xoxb-', 'AKIA', 'npm_'],
      doc: 'How keys begin; a word that begins so and goes on for 12 characters is a secret.',
    },
  }),
  replaces: [FILE_SOURCE, LOG_SINK],
  setup({ config, hooks, log, provide }) {
    const values = config.variables.flatMap((name) => process.env[name] ?? []);
    if (values.length < config.variables.length)
      log.warn('Some variables of [redaction] are not set; their values cannot be masked.');
    const mask = createMask({ values, prefixes: config.prefixes });

    hooks.on(
      'prompt_submit',
      function maskPrompt({ items }) {
        const to = items.map((item) => maskedItem(item, mask));
        return to.some((item, at) => item !== items[at]) ? { do: 'revise', to } : undefined;
      },
      { order: 'last', onError: 'abort' },
    );
    hooks.on(
      'pre_tool_call',
      function maskArguments({ arguments: given }) {
        const to = maskedValue(given, mask);
        return to === given ? undefined : { do: 'revise', to };
      },
      BOTH,
    );
    hooks.on(
      'post_tool_call',
      function maskResult({ result }) {
        const to = maskedResult(result, mask);
        return to === result ? undefined : { do: 'revise', to };
      },
      { ...BOTH, onError: 'abort' },
    );
    // What a compaction reads again reaches the context by no hook, and log lines pass none.
    provide(FILE_SOURCE, (files) => maskedFiles(/** @type {import('pith').FileSource} */ (files), mask));
    provide(LOG_SINK, (sink) => maskedLog(/** @type {import('pith').LogSink} */ (sink), mask));
  },
});
