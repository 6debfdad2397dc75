/** The files around the code of a new plugin: package, compiler, linter, README. Functions, so that the build carries them. */
import type { PluginName } from './plugin-name';

/** What the files of a new plugin are written with. */
export interface PluginSetting {
  readonly name: PluginName;
  /** What `npm install` takes for Pith while the plugin is developed. */
  readonly pith: string;
  /** The version of Pith that it is written for. */
  readonly version: string;
}

/** The tools that a new plugin is built, checked and tested with. */
export const TOOLCHAIN = Object.freeze({
  '@types/node': '^20.19.0',
  eslint: '^10.15.0',
  typescript: '~6.0.3',
  'typescript-eslint': '^8.74.0',
});

/** `package.json`: ready to be published. */
export function packageJson({ name, pith, version }: PluginSetting): string {
  const entry = { types: './dist/src/index.d.ts', default: './dist/src/index.js' };
  return json({
    name: name.packageName,
    version: '0.1.0',
    description: `The plugin ${name.plugin} for Pith.`,
    keywords: ['pith-plugin'],
    license: 'MIT',
    type: 'module',
    engines: { node: '>=20' },
    main: entry.default,
    types: entry.types,
    exports: { '.': entry, './package.json': './package.json' },
    files: ['dist/src'],
    ...(name.packageName.startsWith('@') && { publishConfig: { access: 'public' } }),
    scripts: {
      clean: `node -e "fs.rmSync('dist', { recursive: true, force: true })"`,
      build: 'npm run clean && tsc',
      test: 'npm run build && node --test dist/test/*.test.js',
      lint: 'eslint .',
      prepack: 'npm run build',
    },
    peerDependencies: { pith: `^${version}` },
    devDependencies: Object.fromEntries(
      Object.entries({ ...TOOLCHAIN, pith }).sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
  });
}

/** `tsconfig.json`: `src` and `test` into `dist`. */
export function tsconfig(): string {
  return json({
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
      module: 'nodenext',
      types: ['node'],
      rootDir: '.',
      outDir: 'dist',
      declaration: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noUnusedLocals: true,
      noUnusedParameters: true,
      skipLibCheck: true,
    },
    include: ['src', 'test'],
  });
}

/** `eslint.config.js`: rules that know types, so that a promise nobody waits for is found. */
export function eslintConfig(): string {
  return `import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  { ignores: ['dist/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['describe', 'it', 'test'] }] },
      ],
    },
  },
);
`;
}

/** `.gitignore`. */
export function gitIgnore(): string {
  return 'dist/\nnode_modules/\n';
}

/** `README.md`. */
export function readme({ name }: PluginSetting): string {
  const { packageName, plugin, prefix } = name;
  return `# ${packageName}

A plugin for Pith. It counts the tool calls of a session and tells the model now and then how many there were.

\`\`\`sh
npm install ${packageName}
\`\`\`

\`\`\`toml
[plugins]
use = ["tracker", "prune", "compaction", "auto-read-budget", "guard", "${packageName}"]

[${plugin}]
remind_every = 25
\`\`\`

| key            | takes                       | default | meaning                                           |
| -------------- | --------------------------- | ------- | ------------------------------------------------- |
| \`remind_every\` | a whole number of at least 1 | \`25\`    | Tool calls between two reminders of their number. |

- Hook \`post_tool_call\`: appends the reminder to the result.
- Tool \`${prefix}_calls\`: tells the model the number.
- Event \`${plugin}.reminded\`: \`session\`, \`made\`.
- Session token \`CALLS\`: the number, for other plugins.

## Development

\`\`\`sh
npm install
npm test        # compiles, and runs test/ by node:test with the testing kit of Pith
npm run lint
npm run build   # dist/src is what is published
\`\`\`
`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
