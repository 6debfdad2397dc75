/** Loads provider packages of the AI SDK, which are optional: from the user's project first, then from where Pith stands. */
import { messageOf, PithError } from '../errors';
import { importFile, packageFile } from '../kernel/installed-packages';
import { maskedText } from './masked-text';

/** What a factory of a provider takes, as far as settings reach it. */
export interface ProviderSettings {
  readonly name?: string;
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of OpenAI-compatible endpoints: usage of streamed replies. */
  readonly includeUsage?: boolean;
}

/** A package with the version of it that fits this one. */
export interface ProviderPackage {
  readonly name: string;
  readonly range: string;
}

/** Makes language models by their name. */
export type Provider = (model: string) => unknown;

type Factory = (settings: ProviderSettings) => unknown;

/**
 * The provider that a package makes of settings. Packages export one function `create…`, by convention.
 *
 * @param root the folder of the user's project
 * @throws `PITH_LLM_PACKAGE` where none of the packages is installed, or it is no provider package
 */
export async function loadProvider(
  packages: readonly ProviderPackage[],
  root: string,
  settings: ProviderSettings,
): Promise<Provider> {
  for (const { name, range } of packages) {
    const module = await load(name, range, root);
    if (module === undefined) continue;
    const factory = factoryOf(module, name);
    if (factory === undefined) throw unfit(name, range, 'it exports no function such as createAnthropic');
    const provider = factory(settings) as Provider & { readonly languageModel?: Provider };
    return (model) => (typeof provider.languageModel === 'function' ? provider.languageModel(model) : provider(model));
  }
  const names = packages.map(({ name }) => name).join(' or ');
  const [first] = packages;
  throw new PithError(
    'PITH_LLM_PACKAGE',
    `The package ${names} is not installed. Run: npm i ${first?.name ?? ''}${first?.range ?? ''}`,
    { details: { packages: packages.map(({ name }) => name) } },
  );
}

/** What the package exports, or undefined where it is not installed. */
async function load(name: string, range: string, root: string): Promise<unknown> {
  try {
    const file = packageFile(name, root) ?? packageFile(name, __dirname);
    return file === undefined ? undefined : await importFile(file);
  } catch (thrown) {
    throw unfit(name, range, maskedText(messageOf(thrown).split('\n', 1)[0] ?? ''));
  }
}

/** The function `create…` that is named most like the package; the shortest name of several. */
function factoryOf(module: unknown, packageName: string): Factory | undefined {
  if (typeof module !== 'object' || module === null) return undefined;
  const wanted = packageName.slice(packageName.lastIndexOf('/') + 1).replaceAll('-', '');
  const rank = (name: string): number => (name.slice('create'.length).toLowerCase() === wanted ? 0 : name.length);
  const [best] = Object.entries(module as Readonly<Record<string, unknown>>)
    .filter(([name, value]) => /^create[A-Z]/.test(name) && typeof value === 'function')
    .sort(([one], [other]) => rank(one) - rank(other));
  return best?.[1] as Factory | undefined;
}

function unfit(name: string, range: string, why: string): PithError {
  const message = `The package ${name} cannot be used: ${why}. Run: npm i ${name}${range}`;
  return new PithError('PITH_LLM_PACKAGE', message, { details: { packages: [name] } });
}
