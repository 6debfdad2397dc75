/** The sections of a manifest that belong to no plugin (S10). The sections of plugins come from the plugins. */
import { configKeys, type ConfigConflict, type ConfigKeys, type ConfigOf } from '../kernel/config-keys';

const agent = configKeys(
  {
    system_prompt: { type: 'string', doc: 'The system prompt.' },
    system_prompt_file: { type: 'path', doc: 'The file that holds the system prompt, instead of `system_prompt`.' },
    root: { type: 'path', default: '.', doc: 'The folder whose files the agent may read.' },
  },
  ({ systemPrompt, systemPromptFile }) =>
    systemPrompt !== undefined && systemPromptFile !== undefined
      ? [conflict('system_prompt_file', 'goes not together with system_prompt; give one of them')]
      : [],
);

const model = configKeys(
  {
    provider: {
      type: 'string',
      required: true,
      doc: '`anthropic`, `openai`, `openai-compatible`, or an installed AI SDK provider package.',
    },
    model: { type: 'string', required: true, doc: 'The model, as the provider names it.' },
    base_url: { type: 'string', doc: 'Where the provider is reached, if not at its usual place.' },
    api_key_env: {
      type: 'variable',
      doc: 'The environment variable that holds the key; by default the one that is usual for the provider.',
    },
    headers: { type: 'map', doc: 'Headers to send along. Secrets do not belong here.' },
    context_window: { type: 'integer', unit: 'tokens', min: 1, doc: 'The context window; known for common models.' },
    max_output_tokens: {
      type: 'integer',
      unit: 'tokens',
      min: 1,
      doc: 'The reply allowance; known for common models.',
    },
    reasoning: {
      type: 'string',
      doc: 'How much the model reasons, as the provider names it; for Anthropic also a thinking budget in tokens.',
    },
    timeout_seconds: {
      type: 'number',
      unit: 'seconds',
      min: 1,
      doc: 'How long to wait for a reply, or for the next part of a streamed one; 10 minutes without it.',
    },
    max_retries: { type: 'integer', unit: 'retries', doc: 'How often a request is tried again; 4 without it.' },
    prompt_cache: { type: 'boolean', default: true, doc: 'Whether the prompt cache of the provider is asked for.' },
  },
  ({ provider, baseUrl, contextWindow = Infinity, maxOutputTokens = 0 }) => [
    ...(provider === 'openai-compatible' && baseUrl === undefined
      ? [conflict('base_url', 'is missing; provider "openai-compatible" needs it')]
      : []),
    ...(maxOutputTokens >= contextWindow
      ? [conflict('max_output_tokens', 'leaves no room for input; it must be less than context_window')]
      : []),
  ],
);

const plugins = configKeys({
  use: {
    type: 'strings',
    doc: 'The plugins: names of stock plugins, `./path`, or packages (`pith-plugin-x`, `@scope/pith-plugin-x`).',
  },
  on_error: {
    type: 'choice',
    of: ['stop', 'skip'],
    default: 'stop',
    doc: 'Whether a plugin that cannot be loaded or started stops the start, or is left out.',
  },
});

const session = configKeys({
  store: { type: 'choice', of: ['jsonl', 'memory'], default: 'jsonl', doc: 'Where sessions are kept.' },
  dir: { type: 'path', default: '.pith/sessions', doc: 'The folder of the JSONL store.' },
});

const transport = configKeys(
  {
    kind: { type: 'choice', of: ['local', 'nats'], default: 'local', doc: 'How bus messages travel.' },
    servers: { type: 'strings', env: 'NATS_URL', doc: 'NATS servers.' },
    namespace: { type: 'string', default: 'pith', doc: 'First part of all subjects.' },
    tenant: { type: 'string', default: 'default', doc: 'Whose jobs they are; a part of the subject.' },
    pool: { type: 'string', default: 'default', doc: 'Which workers serve; a part of the subject.' },
    remote_file_reads: {
      type: 'boolean',
      default: true,
      doc: 'Whether remote workers are shown what files hold and what tools were given and put out.',
    },
    name: { type: 'string', doc: 'The name of the connection.' },
    user: { type: 'string', env: 'NATS_USER', doc: 'The user.' },
    password_env: {
      type: 'variable',
      default: 'NATS_PASSWORD',
      doc: 'The environment variable that holds the password.',
    },
    creds_file: { type: 'path', env: 'NATS_CREDS', doc: 'The credentials file.' },
    nkey_file: { type: 'path', env: 'NATS_NKEY', doc: 'The NKey seed file.' },
    tls: {
      type: 'table',
      doc: 'Certificates.',
      keys: {
        ca_file: { type: 'path', env: 'NATS_CA', doc: 'The certificate authority.' },
        cert_file: { type: 'path', doc: 'The certificate of the client.' },
        key_file: { type: 'path', doc: 'The key of the client.' },
      },
    },
  },
  ({ kind, servers = [], user, credsFile, nkeyFile, tls, namespace, tenant, pool, name: connection = 'named' }) => [
    ...(kind === 'nats' && servers.length === 0
      ? [conflict('servers', 'is missing; kind "nats" needs it, or NATS_URL, or --servers where a command has it')]
      : []),
    ...([user, credsFile, nkeyFile].filter((way) => way !== undefined).length > 1
      ? [
          conflict(
            user !== undefined ? 'user' : 'nkey_file',
            'is one way to sign in too many; give one of user, creds_file, nkey_file',
          ),
        ]
      : []),
    ...((tls.certFile === undefined) !== (tls.keyFile === undefined)
      ? [conflict('tls', 'needs both cert_file and key_file, or neither')]
      : []),
    ...Object.entries({ namespace, tenant, pool, name: connection }).flatMap(([key, name]) =>
      /^[\w-]{1,64}$/.test(name)
        ? []
        : [conflict(key, 'is a part of a subject; expected 1 to 64 letters, digits, _ and -')],
    ),
  ],
);

const log = configKeys({
  level: { type: 'choice', of: ['debug', 'info', 'warn', 'error'], default: 'warn', doc: 'The least that is logged.' },
  format: { type: 'choice', of: ['pretty', 'ndjson'], doc: '`pretty` on a terminal, else `ndjson`.' },
});

/** The key tables of the core sections by their name in the manifest. */
export const CORE_SECTIONS = {
  agent,
  model,
  plugins,
  'compaction.model': model,
  session,
  transport,
  log,
} as const satisfies Readonly<Record<string, ConfigKeys>>;

/** The name of a section that is no plugin’s. */
export type CoreSectionName = keyof typeof CORE_SECTIONS;

type SectionOf<S> = S extends ConfigKeys<infer K> ? ConfigOf<K> : never;

/** The core sections as code sees them. A section about a model is undefined where the manifest has none. */
export type CoreSections = {
  readonly [S in CoreSectionName]: S extends 'model' | 'compaction.model'
    ? SectionOf<(typeof CORE_SECTIONS)[S]> | undefined
    : SectionOf<(typeof CORE_SECTIONS)[S]>;
};

function conflict(key: string, message: string): ConfigConflict {
  return { key, message, severity: 'error' };
}
