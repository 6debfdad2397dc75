// The walls between the rooms (CONTRIBUTING.md): imports point down, types too. `npm run walls` holds them; test/walls
// plants each forbidden import in a copy and sees it refused.

/** What stands below the plugins, and so below those who load them. */
const BELOW_PLUGINS = [
  'index',
  'agent',
  'context',
  'llm',
  'files',
  'formats',
  'manifest',
  'tokens',
  'session',
  'kernel',
  'bus',
  'errors',
];

/** Each room of core/ with those it may import from. */
const ROOMS = {
  errors: [],
  bus: ['errors'],
  kernel: ['bus', 'errors'],
  session: ['kernel', 'bus', 'errors'],
  files: ['session', 'kernel', 'bus', 'errors'],
  tokens: ['session', 'kernel', 'bus', 'errors'],
  context: ['tokens', 'session', 'kernel', 'bus', 'errors'],
  llm: ['context/view', 'formats/write', 'tokens', 'session', 'kernel', 'bus', 'errors'],
  manifest: ['kernel', 'bus', 'errors'],
  agent: ['context', 'llm', 'files', 'manifest', 'tokens', 'session', 'kernel', 'bus', 'errors'],
  index: ['agent', 'context', 'llm', 'files', 'tokens', 'session', 'kernel', 'bus', 'errors'],
  formats: ['session', 'kernel', 'bus', 'errors', 'context/view'],
  testing: [
    'index',
    'agent',
    'context',
    'llm',
    'formats/write',
    'files',
    'tokens',
    'session',
    'kernel',
    'bus',
    'errors',
  ],
  report: ['index', 'agent', 'context', 'files', 'tokens', 'session', 'kernel', 'bus', 'errors'],
  adapters: BELOW_PLUGINS,
  cli: [...BELOW_PLUGINS, 'report'],
};

/** A room is a folder or a file, `core/kernel/…` or `core/errors.ts`. */
function inCore(rooms) {
  return `^core/(?:${rooms.join('|')})(?:/|\\.ts$)`;
}

function wallsOfRooms() {
  return Object.entries(ROOMS).map(([room, below]) => ({
    name: `${room}-imports-down`,
    comment: `core/${room} may import from ${below.length === 0 ? 'no other room' : below.join(', ')}.`,
    severity: 'error',
    from: { path: inCore([room]) },
    to: { path: '^core/', pathNot: inCore([room, ...below]) },
  }));
}

module.exports = {
  forbidden: [
    ...wallsOfRooms(),
    {
      name: 'known-rooms',
      comment: 'A new room of core/ gets its line in the table of .config/walls.cjs first.',
      severity: 'error',
      from: { path: '^core/', pathNot: inCore(Object.keys(ROOMS)) },
      to: {},
    },
    {
      name: 'core-knows-no-plugin',
      comment: 'Plugins are loaded by the command line and by adapters, through plugins/index.ts.',
      severity: 'error',
      from: { path: '^core/', pathNot: inCore(['cli', 'adapters']) },
      to: { path: '^plugins/' },
    },
    {
      name: 'plugins-use-the-public-entry',
      comment: 'Stock plugins import what third parties import: core/index and npm packages.',
      severity: 'error',
      from: { path: '^plugins/' },
      to: { path: '^core/', pathNot: '^core/index\\.ts$' },
    },
    {
      name: 'plugins-meet-by-token',
      comment: 'A plugin knows another one by its token file only (token.ts or tokens.ts).',
      severity: 'error',
      from: { path: '^plugins/([^/]+)/' },
      to: { path: '^plugins/', pathNot: ['^plugins/$1/', '^plugins/[^/]+/tokens?\\.ts$'] },
    },
    {
      name: 'container-in-services-only',
      comment: 'The container is private to core/kernel/services.ts.',
      severity: 'error',
      from: { path: '^(?:core|plugins)/', pathNot: '^core/kernel/services\\.ts$' },
      to: { path: '(?:^|node_modules/)(?:tsyringe|reflect-metadata)(?:/|$)' },
    },
    {
      name: 'nats-in-its-bus-only',
      comment: 'NATS is loaded by files of core/bus/nats only, and only when it is asked for.',
      severity: 'error',
      from: { path: '^(?:core|plugins)/', pathNot: '^core/bus/nats/' },
      to: { path: '(?:^|node_modules/)(?:nats|@nats-io)(?:/|$)' },
    },
    {
      name: 'no-cycles',
      comment: 'Modules do not need each other at run time; types may.',
      severity: 'error',
      from: { path: '^(?:core|plugins)/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['require', 'node', 'default', 'types'] },
  },
};
