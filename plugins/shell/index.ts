/** The plugin `shell`: the tool `run_command` (S3.8). */
import { existsSync } from 'node:fs';
import { CLOCK, configKeys, definePlugin, FILE_SOURCE, optional, TOKENIZER } from '../../core/index';
import { GUARD } from '../guard/token';
import { RECALL } from '../recall/token';
import { commandEnvironment } from './environment';
import { ProcessGroups } from './process-groups';
import { runCommandTool } from './run-command';

/** The shells that are looked for where the manifest names none. */
const SHELLS = ['/bin/bash', '/usr/bin/bash', '/bin/sh'];

export default definePlugin({
  name: 'shell',
  api: 1,
  config: configKeys(
    {
      timeout_seconds: {
        type: 'number',
        unit: 'seconds',
        min: 0.1,
        default: 120,
        doc: 'How long a command may take that asks for no other time.',
      },
      max_timeout_seconds: {
        type: 'number',
        unit: 'seconds',
        min: 0.1,
        max: 86_400,
        default: 600,
        doc: 'The longest time that a command may ask for.',
      },
      output_tokens: {
        type: 'integer',
        unit: 'tokens',
        min: 200,
        default: 8000,
        doc: 'Tokens of output that are shown; of more than that the middle is left out.',
      },
      shell: { type: 'string', doc: 'The shell that runs commands by `-c`; `bash` where there is one, else `sh`.' },
      env_allow: {
        type: 'strings',
        default: [],
        doc: 'Variables that commands see although their names look like secrets; `*` stands for any text.',
      },
      env_deny: { type: 'strings', default: [], doc: 'Further variables that commands do not see.' },
    },
    ({ timeoutSeconds, maxTimeoutSeconds }) =>
      timeoutSeconds > maxTimeoutSeconds
        ? [{ key: 'timeout_seconds', message: 'is above max_timeout_seconds', severity: 'error' }]
        : [],
  ),
  needs: {
    clock: CLOCK,
    files: FILE_SOURCE,
    tokenizer: TOKENIZER,
    guard: optional(GUARD),
    recall: optional(RECALL),
  },
  setup({ config, needs, tools, onDispose }) {
    const { clock, files, tokenizer, guard, recall } = needs;
    const groups = new ProcessGroups(clock);
    onDispose(() => groups.dispose());
    const rules = { allow: config.envAllow, deny: config.envDeny };
    tools.add(
      runCommandTool({
        ...config,
        groups,
        files,
        tokenizer,
        shell: config.shell ?? SHELLS.find((path) => existsSync(path)) ?? 'sh',
        environment: () => commandEnvironment(process.env, rules),
        mask: (text) => guard?.mask(text) ?? text,
        recallOf: (session) => (recall === undefined ? undefined : session.get(recall)),
      }),
    );
  },
});
